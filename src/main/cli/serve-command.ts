import { existsSync } from 'node:fs';
import { SOCKET_VARIABLE } from '../group/membership.ts';
import { workerCount } from '../group/worker-count.ts';
import { availableMemory } from '../memory.ts';
import { type CommandSetup, configurationFrom, openStore, type TextOutput } from './context.ts';
import { masterSecret, masterSecretPath } from './master-secret.ts';
import { mergedSettings } from './merged-settings.ts';
import { type Environment, type Settings, type SettingsOptions, settingsFrom } from './settings.ts';

/** Prints a notice if an earlier version stored the secret for PostgreSQL there; masterSecret() would not create another one. */
function noteSecretInFolder(
  { secret, databaseUrl, dataDirectory }: Settings,
  environment: Environment,
  stderr: TextOutput,
): void {
  if (secret !== null || databaseUrl === null || environment[SOCKET_VARIABLE]) return;
  const path = masterSecretPath(dataDirectory);
  if (!existsSync(path)) return;
  stderr.write(
    `notice: the only copy of the PostgreSQL database's master secret is ${path}, and the database cannot be opened without it. Set SWITCHYARD_SECRET to its content on every node\n`,
  );
}

export function addServeCommand({ program, dependencies, setExitCode }: CommandSetup): void {
  program
    .command('serve')
    .description('run the gateway; also without a command')
    .option('--host <address>', 'address to listen on (HOST; 127.0.0.1)')
    .option('--port <number>', 'port to listen on, 0 for any free port (PORT; 8787)')
    .addHelpText(
      'after',
      `
Examples:
  switchyard serve
  switchyard serve --port 9000 --data /var/lib/switchyard
  SWITCHYARD_CONFIG=switchyard.yaml HOST=0.0.0.0 switchyard serve`,
    )
    .action(async (_options: unknown, command) => {
      const { environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const configuration = await configurationFrom(dependencies, settings.configurationPath);
      const availableBytes = availableMemory(environment);
      noteSecretInFolder(settings, environment, dependencies.stderr);
      const workers = environment[SOCKET_VARIABLE] ? 1 : workerCount(environment);
      if (workers > 1) {
        const store = { secret: await masterSecret(settings), upgrade: settings.databaseUpgrade };
        return setExitCode(await dependencies.serveGroup({ workers, settings, store }));
      }
      const { host, port } = settings;
      const store = await openStore(dependencies, settings, { exclusive: true, listening: { host, port } });
      const { notices, ...started } = mergedSettings(configuration, await store.settings.read(), environment);
      for (const notice of notices) dependencies.stderr.write(`notice: ${notice}\n`);
      const secret = await masterSecret(settings);
      setExitCode(
        await dependencies.serve({ host, port, settings, ...started, availableBytes, environment, store, secret }),
      );
    });
}
