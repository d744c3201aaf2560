import { type Command, InvalidArgumentError } from 'commander';
import { rotateKey } from '../../../engine/admin/keys/change-keys.ts';
import type { CommandSetup } from '../context.ts';
import { withDirectoryInForce } from '../in-force.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { isoTime } from '../time.ts';
import { lengthOfTime } from '../values.ts';

export function addRotate(keys: Command, { dependencies }: CommandSetup): void {
  keys
    .command('rotate')
    .description('give a key a new secret and print it; the old one ends at once, or after --grace')
    .argument('<account/id>', 'the key as account/ID, as the list shows it', placeOf)
    .option('--grace <time>', 'how long the old secret stays valid: 24h, 90m; at most 30d (0)', lengthOfTime)
    .option('--management', 'a management token (mt-) instead of an inference key (sk-)')
    .addHelpText(
      'after',
      `
Only the secret goes to standard output, so that a script can read it. Limits and spending stay.

Examples:
  switchyard keys rotate acme/ci
  switchyard keys rotate acme/ci --grace 24h
  TOKEN=$(switchyard keys rotate acme/ops --management)`,
    )
    .action(async (place: Place, options: { management?: boolean; grace?: number }, command) => {
      const { clock, stdout, stderr, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const kind = options.management ? 'management' : 'inference';
      const { secret, credential } = await withDirectoryInForce(dependencies, settings, (directory) =>
        rotateKey(directory, clock, { ...place, kind }, { grace_seconds: (options.grace ?? 0) / 1_000 }),
      );
      stderr.write(`Key ${credential.id} of account ${credential.accountId}. Its new secret is not shown again:\n`);
      const { endsAtMs = 0 } = credential.previousSecret ?? {};
      if (endsAtMs > 0) stderr.write(`The old secret is valid until ${isoTime(endsAtMs)}.\n`);
      stdout.write(`${secret}\n`);
    });
}

interface Place {
  readonly accountId: string;
  readonly id: string;
}

function placeOf(text: string): Place {
  const [accountId, id, ...more] = text.split('/');
  if (!accountId || !id || more.length > 0) throw new InvalidArgumentError('It must be an account and an ID: acme/ci.');
  return { accountId, id };
}
