/**
 * Programs on PATH that stand in for systemctl, launchctl and schtasks: real scripts that note what
 * they were asked.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes an executable into a folder. `script` sees $1 … and a folder for its notes in $NOTES. */
export function putProgram(folder: string, name: string, script: string): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(
    path,
    `#!/bin/sh\nNOTES=${folder}\necho "${name} $*" >> "$NOTES/calls"\n${script}\n`,
  );
  chmodSync(path, 0o755);
}

export function callsIn(folder: string): string[] {
  const file = join(folder, 'calls');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

/**
 * A systemctl that keeps the promises of the unit: starts ExecStart with its Environment, starts it
 * again after a failure, not after the exit codes named, and tells how it is.
 */
export const SYSTEMCTL = `
unit="$HOME/.config/systemd/user/dripstone.service"
stop() {
  [ -f "$NOTES/loop.pid" ] && kill "$(cat "$NOTES/loop.pid")" 2>/dev/null
  if [ -f "$NOTES/main.pid" ]; then
    pid=$(cat "$NOTES/main.pid"); kill "$pid" 2>/dev/null
    while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
  fi
  rm -f "$NOTES/main.pid" "$NOTES/loop.pid"
}
case "$2" in
  restart)
    stop; rm -f "$NOTES/exit"
    exec_line=$(sed -n 's/^ExecStart=//p' "$unit")
    prevent=" $(sed -n 's/^RestartPreventExitStatus=//p' "$unit") "
    sed -n 's/^Environment="\\(.*\\)"$/\\1/p' "$unit" > "$NOTES/env"
    (
      set -f; IFS='
'; variables=$(cat "$NOTES/env"); restarts=0
      while :; do
        eval "exec env -i HOME=\\"\\$HOME\\" $(for v in $variables; do printf "'%s' " "$v"; done) $exec_line" > "$NOTES/journal" 2>&1 &
        echo $! > "$NOTES/main.pid"
        wait $!; code=$?; echo $code > "$NOTES/exit"
        rm -f "$NOTES/main.pid"
        [ $code = 0 ] && break
        case "$prevent" in *" $code "*) break;; esac
        restarts=$((restarts + 1)); echo $restarts > "$NOTES/restarts"
        sleep 0.2
      done
    ) > /dev/null 2>&1 < /dev/null &
    echo $! > "$NOTES/loop.pid"
    ;;
  disable) stop;;
  show)
    # The exit is read after main.pid: it is written before main.pid goes.
    running=$([ -f "$NOTES/main.pid" ] && echo yes); code=$(cat "$NOTES/exit" 2>/dev/null || echo 0)
    if [ "$running" ]; then printf 'LoadState=loaded\\nActiveState=active\\nSubState=running\\nResult=success\\nMainPID=%s\\nExecMainStatus=0\\n' "$(cat "$NOTES/main.pid")"
    elif [ "$code" != 0 ]; then printf 'LoadState=loaded\\nActiveState=failed\\nSubState=failed\\nResult=exit-code\\nMainPID=0\\nExecMainStatus=%s\\n' "$code"
    elif [ -f "$NOTES/loop.pid" ] && [ ! -f "$NOTES/exit" ]; then printf 'LoadState=loaded\\nActiveState=activating\\nSubState=start\\nMainPID=0\\nExecMainStatus=0\\n'
    else printf 'LoadState=loaded\\nActiveState=inactive\\nSubState=dead\\nResult=success\\nMainPID=0\\nExecMainStatus=0\\n'; fi
    printf 'NRestarts=%s\\n' "$(cat "$NOTES/restarts" 2>/dev/null || echo 0)"
    ;;
esac
exit 0`;
