import { describe, expect, test } from 'vitest';
import { classifyCommand } from '../../src/extract/commands/classify.js';

const classOf = (command: string): string | null => {
  const found = classifyCommand(command.split(' '));
  return found === null ? null : `${found.class}${found.entry ? '!' : ''}`;
};

describe('classifyCommand', () => {
  test.each([
    ['npm test', 'test!'], ['npm run build', 'build!'], ['npm ci', 'install'], ['npm run lint:fix', 'lint!'], ['npm run check-types', 'typecheck!'], ['pnpm -C web dev', 'run!'],
    ['pnpm --filter api test', 'test!'], ['yarn lint', 'lint!'], ['yarn', 'install!'], ['bun test', 'test'], ['bun run scripts/release.ts', 'release!'], ['npx vitest run', 'test'],
    ['npx tsc --noEmit', 'typecheck'], ['pnpm exec eslint .', 'lint'], ['make', 'build!'], ['make -j4 test', 'test!'], ['make gen-docs', 'generate!'], ['just fmt', 'format!'],
    ['mise run test:ci', 'test!'], ['task lint', 'lint!'], ['cargo build --release', 'build'], ['cargo clippy', 'lint'], ['cargo fmt', 'format'], ['cargo +nightly test', 'test'],
    ['go test ./...', 'test'], ['go vet ./...', 'lint'], ['go mod tidy', 'install'], ['golangci-lint run', 'lint'], ['uv run pytest -q', 'test'], ['uv sync', 'install'],
    ['poetry run mypy src', 'typecheck'], ['python -m pytest', 'test'], ['python3 manage.py migrate', 'db!'], ['ruff format .', 'format'], ['ruff check .', 'lint'], ['tox', 'test!'],
    ['./gradlew assembleDebug', 'build!'], ['gradle test', 'test!'], ['./mvnw package', 'build!'], ['dotnet test', 'test'], ['mix test', 'test'], ['bundle exec rspec', 'test'],
    ['rake db:migrate', 'db!'], ['bin/rails test', 'test!'], ['composer install', 'install'], ['php artisan migrate', 'db!'], ['flutter analyze', 'lint'], ['dart format .', 'format'],
    ['swift build', 'build'], ['cmake --build build', 'build'], ['ctest --test-dir build', 'test'], ['bazel test //...', 'test'], ['docker compose run web pytest', 'test'],
    ['docker compose up -d', 'run'], ['docker build .', 'build'], ['terraform plan', 'infra'], ['gh run list', 'ci'], ['gh pr create', 'review'], ['pre-commit run --all-files', 'lint'],
    ['./scripts/deploy.sh', 'release!'], ['bash scripts/test.sh', 'test!'], ['node scripts/build-icons.mjs', 'build!'], ['go run ./cmd/api', 'run'], ['acme lint', 'lint!'],
  ])('%s is %s', (command, expected) => {
    expect(classOf(command)).toBe(expected);
  });

  test.each([
    'ls -la', 'cat a.txt', 'git status', 'grep -rn x src', 'echo done', 'python -c print(1)', 'node -e 1', 'curl http://localhost:3000', 'make -n build', 'make --help', 'npm ls', 'npm view left-pad',
    'cargo --version', 'pytest --help', 'rm -rf dist', 'sed -i s/a/b/ x', 'which node', '', 'gh api repos', 'bash -x', '/usr/bin/env',
  ])('%s is a probe', (command) => {
    expect(classOf(command)).toBeNull();
  });
});
