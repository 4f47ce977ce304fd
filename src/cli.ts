#!/usr/bin/env node
/**
 * The program's file. It imports nothing, so that it can say why the rest cannot be loaded: below
 * about 30 open files Node fails while it reads the parts of the program, before any of them could
 * say so.
 */
try {
  if (process.argv[2] === 'hook') {
    // What a plugin starts at each moment of a session (packaging/): as small as the hook program,
    // and quick to load.
    process.argv.splice(2, 1);
    await import('./hooks/program.js');
  } else {
    const { runProcess } = await import('./commands/command-line.js');
    await runProcess();
  }
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'EMFILE' && code !== 'ENFILE') throw error;
  // The words of `systemError`, which may be what cannot be loaded.
  process.stderr.write(
    `dripstone: the system allows too few open files for this process: ${message}\n` +
      '  next: allow more (`ulimit -n 1024`; under systemd LimitNOFILE=1024) and run the same command again; nothing is lost\n',
  );
  process.exit(1);
}
