/** Names of files whose content is never stored. */

const NAMES =
  /^(?:\.env(?:rc|\..*|[-_].*)?|.*\.env|.*\.(?:pem|key|p12|pfx|jks|keystore|ppk|kdbx|tfvars|kubeconfig|agekey|asc)|.*\.tfvars\.json|\.npmrc|\.yarnrc(?:\.yml)?|\.pypirc|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.htpasswd|\.git-credentials|\.vault-token|\.dockercfg|\.boto|\.s3cfg|kubeconfig.*|credentials.*|secrets?\.(?:ya?ml|json|toml|ini|env|enc|properties)|service[-_]account.*\.json|client_secret.*\.json|terraform\.tfstate.*|wp-config\.php|master\.key|shadow)$/i;
/** SSH keys are `id_*`; source files of that name are not keys. */
const SSH_KEY = /^id_[\w-]{1,60}(?:\.pub|\.old|\.bak)?$/i;
const FOLDERS =
  /(?:^|[\\/])(?:\.ssh[\\/](?!config$|known_hosts)[^\\/]{1,200}|\.aws[\\/]credentials|\.kube[\\/](?:config|cache[\\/].{1,200})|\.docker[\\/]config\.json|\.gnupg[\\/].{1,200}|\.config[\\/](?:gh[\\/]hosts\.yml|gcloud[\\/].{1,200}))$/i;

/**
 * Whether the content of a file may not be stored.
 * @param path absolute or relative, with either slash
 * @param ignored the project's own rules (.gitignore, .secretsignore, .dripstoneignore)
 */
export function isSecretPath(path: string, ignored?: (path: string) => boolean): boolean {
  const plain = path
    .trim()
    .replace(/^["'`]|["'`]$/g, '')
    .replace(/[\\/]+$/, '')
    .slice(-1024);
  if (plain === '') return false;
  const name = plain.slice(Math.max(plain.lastIndexOf('/'), plain.lastIndexOf('\\')) + 1);
  return NAMES.test(name) || SSH_KEY.test(name) || FOLDERS.test(plain) || (ignored?.(plain) ?? false);
}
