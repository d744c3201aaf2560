import { formatConfiguration } from './config/format.ts';
import { shownConfiguration } from './config/shown-configuration.ts';
import type { CommandSetup } from './context.ts';
import { type SettingsOptions, settingsFrom } from './settings.ts';

interface ShowOptions extends SettingsOptions {
  readonly json?: boolean;
  readonly changed?: boolean;
}

/** Adds `switchyard config`: the settings in force. */
export function addConfigCommands({ program, dependencies, setExitCode }: CommandSetup): void {
  const config = program.command('config').description('show the settings in force, and where each comes from');
  config.addHelpText('after', '\nExamples:\n  switchyard config show\n  switchyard config show --changed');
  config
    .command('show')
    .description('print every setting that a start would use now, with its source')
    .option('--changed', 'leave out settings that have their default')
    .option('--host <address>', 'address as given to "serve" (HOST; 127.0.0.1)')
    .option('--port <number>', 'port as given to "serve" (PORT; 8787)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
A setting of the file wins over the same one that was changed in the dashboard or over the API, which wins over the default. Of secrets
only "(set)" is shown. A running gateway uses the values of its start: the dashboard shows these. Channels, models, accounts and keys
are not settings: see "switchyard channels list" and its neighbours.

Examples:
  switchyard config show
  switchyard config show --config switchyard.yaml --changed
  switchyard config show --json`,
    )
    .action(async (_options: unknown, command) => {
      const options = command.optsWithGlobals() as ShowOptions;
      const settings = settingsFrom(options, dependencies.environment);
      const shown = await shownConfiguration(dependencies, {
        settings,
        options,
        onlyChanged: options.changed === true,
      });
      for (const notice of shown.notices) dependencies.stderr.write(`notice: ${notice}\n`);
      if (!shown.isComplete) setExitCode(1);
      const { file, process, settings: sections } = shown;
      dependencies.stdout.write(
        options.json
          ? `${JSON.stringify({ file, process, settings: sections }, null, 2)}\n`
          : formatConfiguration({ file, process, settings: sections }),
      );
    });
}
