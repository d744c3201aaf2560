import { ensureFirstKey } from '../../engine/admin/keys/ensure-first-key.ts';
import { ensureFirstOperator } from '../../engine/admin/people/invite.ts';
import { firstKeyLines, firstLinkLines } from '../first-start.ts';
import type { CommandSetup } from './context.ts';
import { withPeople } from './users-commands.ts';

/** Adds `switchyard first-start`, for gateways whose output is not a terminal. */
export function addFirstStartCommand(setup: CommandSetup): void {
  setup.program
    .command('first-start')
    .description('create and print the first API key and the link for the first admin, if there are none')
    .addHelpText(
      'after',
      `
A gateway on a terminal prints both at its first start. One whose output is kept, as in a container or a service, prints no secrets.

Examples:
  switchyard first-start
  docker exec switchyard /usr/local/bin/switchyard first-start`,
    )
    .action(async () => {
      const { stdout, clock } = setup.dependencies;
      const lines = await withPeople(setup, async (ports, by, store) => {
        const key = await ensureFirstKey(store.directory, clock);
        const made = await ensureFirstOperator(ports, by, key?.credential.accountId ?? null);
        return [
          ...(key === null ? [] : firstKeyLines(key.secret)),
          ...(made?.link == null ? [] : firstLinkLines(made.link)),
        ];
      });
      stdout.write(lines.length > 0 ? `${lines.join('\n')}\n` : `${NOTHING}\n`);
    });
}

const NOTHING =
  'There is a key already, and an admin or an open link. Create others with "switchyard keys create" and "switchyard users invite --operator".';
