import type { Command } from 'commander';
import { revokeKey } from '../../../engine/admin/keys/change-keys.ts';
import type { CommandSetup } from '../context.ts';
import { withDirectoryInForce } from '../in-force.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { isoTime } from '../time.ts';

export function addRevoke(keys: Command, { dependencies }: CommandSetup): void {
  keys
    .command('revoke')
    .description('revoke a key permanently; a running gateway refuses it at once')
    .argument('<key>', 'its ID, account/ID, preview as the list shows it, or whole secret')
    .addHelpText(
      'after',
      `
Examples:
  switchyard keys revoke key_4fW9sQ2mLx
  switchyard keys revoke 'sk-ab…wxyz'
  switchyard keys revoke acme/ci`,
    )
    .action(async (selector: string, _options: unknown, command) => {
      const { clock, stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const { credential, alreadyRevoked } = await withDirectoryInForce(dependencies, settings, (directory) =>
        revokeKey(directory, clock, selector),
      );
      const label = `${credential.accountId}/${credential.id} (${credential.preview})`;
      const since = credential.revokedAtMs === null ? '' : ` since ${isoTime(credential.revokedAtMs)}`;
      stdout.write(alreadyRevoked ? `${label} is already revoked${since}; nothing changed\n` : `revoked ${label}\n`);
    });
}
