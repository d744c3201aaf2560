import { type Command, InvalidArgumentError } from 'commander';
import { rotateKey } from '../../../engine/admin/keys/change-key.ts';
import { type CommandSetup, withDirectory } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';

export function addRotate(keys: Command, { dependencies }: CommandSetup): void {
  keys
    .command('rotate')
    .description('give a key a new secret and print it; a running gateway refuses the old one at once')
    .argument('<account/id>', 'the key, as the list shows it', placeOf)
    .option('--management', 'a management token (mt-) instead of an inference key (sk-)')
    .addHelpText(
      'after',
      `
The secret alone goes to standard output, so that a script can take it. Limits, and what was spent, stay.

Examples:
  switchyard keys rotate acme/ci
  TOKEN=$(switchyard keys rotate acme/ops --management)`,
    )
    .action(async (place: Place, options: { management?: boolean }, command) => {
      const { clock, stdout, stderr, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const kind = options.management ? 'management' : 'inference';
      const { secret, credential } = await withDirectory(dependencies, settings, (directory) =>
        rotateKey(directory, clock, { ...place, kind }),
      );
      stderr.write(`Key ${credential.id} of account ${credential.accountId}. Its new secret is shown only now:\n`);
      stdout.write(`${secret}\n`);
    });
}

interface Place {
  readonly accountId: string;
  readonly id: string;
}

function placeOf(text: string): Place {
  const [accountId, id, ...more] = text.split('/');
  if (!accountId || !id || more.length > 0) throw new InvalidArgumentError('It must be an account and an id: acme/ci.');
  return { accountId, id };
}
