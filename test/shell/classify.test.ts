import { describe, expect, test } from 'vitest';
import { classifyCommand } from '../../src/shell/classify.js';

function classOf(command: string): string | null {
  const found = classifyCommand(command.split(' '));
  return found === null ? null : `${found.class}${found.entry ? '!' : ''}`;
}

describe('classifyCommand', () => {
  test.each([
    ['npm test', 'test!'],
    ['npm run build', 'build!'],
    ['npm ci', 'install'],
    ['pnpm -C web dev', 'run!'],
    ['pnpm --filter api test', 'test!'],
    ['yarn', 'install!'],
    ['bun run scripts/release.ts', 'release!'],
    ['npx vitest run', 'test'],
    ['pnpm exec eslint .', 'lint'],
    ['make', 'build!'],
    ['make -j4 test', 'test!'],
    ['just fmt', 'format!'],
    ['mise run test:ci', 'test!'],
    ['cargo build --release', 'build'],
    ['cargo +nightly test', 'test'],
    ['go test ./...', 'test'],
    ['uv run pytest -q', 'test'],
    ['python -m pytest', 'test'],
    ['python3 manage.py migrate', 'db!'],
    ['ruff format .', 'format'],
    ['tox', 'test!'],
    ['./gradlew assembleDebug', 'build!'],
    ['dotnet test', 'test'],
    ['bundle exec rspec', 'test'],
    ['bin/rails test', 'test!'],
    ['flutter analyze', 'lint'],
    ['cmake --build build', 'build'],
    ['bazel test //...', 'test'],
    ['docker compose run web pytest', 'test'],
    ['docker compose up -d', 'run'],
    ['terraform plan', 'infra'],
    ['gh run list', 'ci'],
    ['gh pr create', 'review'],
    ['pre-commit run --all-files', 'lint'],
    ['./scripts/deploy.sh', 'release!'],
    ['go run ./cmd/api', 'run'],
    ['acme lint', 'lint!'],
  ])('%s is %s', (command, expected) => {
    expect(classOf(command)).toBe(expected);
  });
});
