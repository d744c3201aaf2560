import type { Command } from 'commander';
import type { Hold } from '../../domain/ledger/hold.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import { releaseHold } from '../../engine/admin/ledger/change-ledger.ts';
import { type CommandSetup, withStore } from './context.ts';
import { formatTable } from './table.ts';
import { isoTime } from './time.ts';
import { dollars } from './values.ts';

const LARGEST_LIST = 1_000;

/** Adds `switchyard ledger reservations`: reservations for requests that may outlive a process. */
export function addReservationCommands(ledger: Command, setup: CommandSetup): void {
  const reservations = ledger
    .command('reservations')
    .description('list and release durable reservations for long requests, such as videos');
  reservations.addHelpText(
    'after',
    `
Examples:
  switchyard ledger reservations list --overdue
  switchyard ledger reservations release req_4f1c`,
  );
  addList(reservations, setup);
  addRelease(reservations, setup);
}

interface ListOptions {
  readonly account?: string;
  readonly overdue?: boolean;
  readonly all?: boolean;
  readonly json?: boolean;
}

function addList(reservations: Command, setup: CommandSetup): void {
  reservations
    .command('list')
    .description('list reservations, the first to expire at the top')
    .option('--account <id>', 'only of this account')
    .option('--overdue', 'only those past their time to be settled or released')
    .option('--all', 'with what was settled or released')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  switchyard ledger reservations list\n  switchyard ledger reservations list --overdue --account acme',
    )
    .action(async (options: ListOptions) => {
      const { stdout, clock } = setup.dependencies;
      const query = {
        ...(options.account === undefined ? {} : { accountId: options.account }),
        ...(options.overdue ? { expiresBeforeMs: clock.nowMs() } : {}),
        ...(options.all ? {} : { state: 'open' as const }),
      };
      const found = await withStore(setup, (store) => store.holds.list(query, LARGEST_LIST));
      if (options.json) stdout.write(`${JSON.stringify(found.map(asJson), null, 2)}\n`);
      else if (found.length === 0) stdout.write('No reservations.\n');
      else stdout.write(formatTable(COLUMNS, found.map(asRow)));
    });
}

function addRelease(reservations: Command, setup: CommandSetup): void {
  reservations
    .command('release')
    .description('release the reservation of a request that will never be settled')
    .argument('<request>', 'the request ID, as the list shows it')
    .addHelpText('after', '\nExample:\n  switchyard ledger reservations release req_4f1c')
    .action(async (requestId: string) => {
      const { stdout, clock } = setup.dependencies;
      const hold = await withStore(setup, (store) => releaseHold(store, clock, requestId));
      stdout.write(`released ${dollars(amountOf(hold))} of ${hold.accountId}\n`);
    });
}

const COLUMNS = ['request', 'time', 'expires', 'account', 'key', 'reserved', 'charged', 'state'];

function asRow(hold: Hold): readonly string[] {
  return [
    hold.holdId,
    isoTime(hold.atMs),
    isoTime(hold.expiresAtMs),
    hold.accountId,
    hold.keyId ?? '-',
    dollars(amountOf(hold)),
    dollars(hold.chargedNanoUsd),
    hold.state,
  ];
}

function asJson(hold: Hold) {
  return {
    request_id: hold.holdId,
    at: isoTime(hold.atMs),
    expires: isoTime(hold.expiresAtMs),
    account: hold.accountId,
    key: hold.keyId,
    of_balance_usd: hold.fromBalanceNanoUsd === null ? null : formatNanoUsd(hold.fromBalanceNanoUsd),
    of_limit_usd: hold.fromLimitNanoUsd === null ? null : formatNanoUsd(hold.fromLimitNanoUsd),
    charged_usd: formatNanoUsd(hold.chargedNanoUsd),
    state: hold.state,
  };
}

/** Both spending pools hold the same amount if both are limited. */
function amountOf({ fromBalanceNanoUsd, fromLimitNanoUsd }: Hold): bigint {
  return fromBalanceNanoUsd ?? fromLimitNanoUsd ?? 0n;
}
