#!/usr/bin/env node
/**
 * The entry file. It imports nothing statically, so that it can report a failed load: with very few
 * allowed open files Node fails while it loads the program.
 */
try {
  if (process.argv[2] === 'hook') {
    // Plugins (packaging/) start this at each moment of a session, so it loads only the hook
    // program.
    process.argv.splice(2, 1);
    await import('./hooks/program.js');
  } else {
    const { runProcess } = await import('./commands/command-line.js');
    await runProcess();
  }
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'EMFILE' && code !== 'ENFILE') throw error;
  // Repeats the message of `systemError`, which may be unloadable.
  process.stderr.write(
    `dripstone: the system allows too few open files for this process: ${message}\n` +
      '  next: allow more (`ulimit -n 1024`; under systemd LimitNOFILE=1024) and run the same command again; nothing is lost\n',
  );
  process.exit(1);
}
