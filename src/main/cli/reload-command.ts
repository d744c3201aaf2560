import pino from 'pino';
import { CommandError } from './command-error.ts';
import type { CommandSetup } from './context.ts';
import { type SettingsOptions, settingsFrom } from './settings.ts';

export function addReloadCommand({ program, dependencies: { environment, stdout } }: CommandSetup): void {
  program
    .command('reload')
    .description('start the workers of the gateway on this data folder again, one after the other')
    .addHelpText(
      'after',
      `
Each new worker reads the configuration and serves before the old one finishes what it does and ends, so that no request is refused.
For gateways with several processes (SWITCHYARD_WORKERS). Any other one reads its configuration again at SIGHUP; see docs/operating.md.`,
    )
    .action(async (_options: unknown, command) => {
      const { dataDirectory } = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const { reloadGroup } = await import('../group/reload.ts');
      const problem = await reloadGroup(dataDirectory, pino({ level: 'silent' }));
      if (problem !== null) throw new CommandError(problem);
      stdout.write('All workers have been started again.\n');
    });
}
