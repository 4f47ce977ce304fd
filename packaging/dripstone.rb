# Homebrew. `make release` writes release/dripstone.rb with version and checksums in it; what it cannot know is the address:
# DOWNLOADS is the folder that the packages are put into, HOMEPAGE the project's page.
class Dripstone < Formula
  desc "Turns session logs of coding agents into notes that they read when they start"
  homepage "{{HOMEPAGE}}"
  version "{{VERSION}}"
  license "MIT"

  depends_on "node"

  on_macos do
    on_arm do
      url "{{DOWNLOADS}}/dripstone-{{VERSION}}-darwin-arm64.tgz"
      sha256 "{{SHA256 darwin-arm64}}"
    end
    on_intel do
      url "{{DOWNLOADS}}/dripstone-{{VERSION}}-darwin-x64.tgz"
      sha256 "{{SHA256 darwin-x64}}"
    end
  end

  on_linux do
    on_arm do
      url "{{DOWNLOADS}}/dripstone-{{VERSION}}-linux-arm64.tgz"
      sha256 "{{SHA256 linux-arm64}}"
    end
    on_intel do
      url "{{DOWNLOADS}}/dripstone-{{VERSION}}-linux-x64.tgz"
      sha256 "{{SHA256 linux-x64}}"
    end
  end

  def install
    # Homebrew has npm compile native parts. All of them are in the packages, for which no script is needed.
    system "npm", "install", *std_npm_args, "--ignore-scripts"
    bin.install_symlink libexec.glob("bin/*")
  end

  service do
    run [opt_bin/"dripstone", "start"]
    keep_alive crashed: true
    process_type :background
    # The program's first line looks for node on PATH.
    environment_variables PATH: std_service_path_env
  end

  def caveats
    <<~EOS
      To keep reading logs, use either `brew services start dripstone` or `dripstone service install`, not both.
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/dripstone --version")
    ENV["DRIPSTONE_HOME"] = testpath/"memory"
    assert_match "no session logs were found", shell_output("#{bin}/dripstone run")
  end
end
