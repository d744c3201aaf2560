import { createLogger } from '../logging/logger.ts';
import { CommandError } from './command-error.ts';
import type { CommandSetup } from './context.ts';
import { type SettingsOptions, settingsFrom } from './settings.ts';

export function addReloadCommand({ program, dependencies: { environment, stdout } }: CommandSetup): void {
  program
    .command('reload')
    .description('restart the workers of the gateway on this data folder, one by one')
    .addHelpText(
      'after',
      `
Each new worker reads the configuration and serves before the old one finishes its requests and exits, so that no request is refused.
Only for gateways with several processes (SWITCHYARD_WORKERS). Others reload their configuration at SIGHUP; see docs/operating.md.`,
    )
    .action(async (_options: unknown, command) => {
      const { dataDirectory } = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const { reloadGroup } = await import('../group/reload.ts');
      const problem = await reloadGroup(dataDirectory, createLogger('silent'));
      if (problem !== null) throw new CommandError(problem);
      stdout.write('All workers have been restarted.\n');
    });
}
