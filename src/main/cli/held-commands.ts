import type { Command } from 'commander';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import { dismissHeldCharge, settleHeldCharge } from '../../engine/admin/ledger/change-ledger.ts';
import type { KnownHeldCharge } from '../../engine/ports/held-charges.ts';
import { type CommandSetup, withStore } from './context.ts';
import { formatTable } from './table.ts';
import { isoTime } from './time.ts';
import { dollars } from './values.ts';

const LARGEST_LIST = 1_000;

/** Adds `switchyard ledger held`: implausible charges, and what to do with them. */
export function addHeldCommands(ledger: Command, setup: CommandSetup): void {
  const held = ledger
    .command('held')
    .description('list, settle or dismiss implausible upstream charges; nobody is charged until you decide');
  held.addHelpText(
    'after',
    `
Examples:
  switchyard ledger held list
  switchyard ledger held settle req_4f1c --usd 1.25
  switchyard ledger held dismiss req_4f1c`,
  );
  addHeldList(held, setup);
  addSettle(held, setup);
  addDismiss(held, setup);
}

function addHeldList(held: Command, setup: CommandSetup): void {
  held
    .command('list')
    .description('list held charges, newest first')
    .option('--account <id>', 'only of this account')
    .option('--all', 'with what was decided on')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  switchyard ledger held list\n  switchyard ledger held list --account acme --all',
    )
    .action(async (options: { account?: string; all?: boolean; json?: boolean }) => {
      const { stdout } = setup.dependencies;
      const only = {
        ...(options.account === undefined ? {} : { accountId: options.account }),
        ...(options.all ? {} : { state: 'open' as const }),
      };
      const found = await withStore(setup, (store) => store.heldCharges.list(only, LARGEST_LIST));
      if (options.json) stdout.write(`${JSON.stringify(found.map(asJson), null, 2)}\n`);
      else if (found.length === 0) stdout.write('No held charges.\n');
      else stdout.write(formatTable(COLUMNS, found.map(asRow)));
    });
}

function addSettle(held: Command, setup: CommandSetup): void {
  held
    .command('settle')
    .description('charge the account')
    .argument('<request>', 'the request ID, as the list shows it')
    .option('--usd <amount>', 'charge only this amount, such as 1.25')
    .addHelpText(
      'after',
      '\nExamples:\n  switchyard ledger held settle req_4f1c\n  switchyard ledger held settle req_4f1c --usd 1.25',
    )
    .action(async (requestId: string, options: { usd?: string }) => {
      const { stdout, clock } = setup.dependencies;
      const done = await withStore(setup, (store) => settleHeldCharge(store, clock, requestId, options.usd));
      stdout.write(`charged ${dollars(done.chargedNanoUsd)} to ${done.held.accountId}\n`);
    });
}

function addDismiss(held: Command, setup: CommandSetup): void {
  held
    .command('dismiss')
    .description('charge nobody')
    .argument('<request>', 'the request ID, as the list shows it')
    .addHelpText('after', '\nExample:\n  switchyard ledger held dismiss req_4f1c')
    .action(async (requestId: string) => {
      const { stdout } = setup.dependencies;
      const done = await withStore(setup, (store) => dismissHeldCharge(store, requestId));
      stdout.write(`dismissed ${dollars(done.amountNanoUsd)} of ${done.accountId}\n`);
    });
}

const COLUMNS = ['request', 'time', 'account', 'model', 'channel', 'held', 'plausible', 'prompt', 'answer', 'state'];

function asRow(held: KnownHeldCharge): readonly string[] {
  return [
    held.requestId,
    isoTime(held.atMs),
    held.accountId,
    held.modelId,
    held.channelId ?? '-',
    dollars(held.amountNanoUsd),
    dollars(held.plausibleNanoUsd),
    String(held.promptTokens),
    String(held.completionTokens),
    held.state,
  ];
}

function asJson(held: KnownHeldCharge) {
  return {
    request_id: held.requestId,
    at: isoTime(held.atMs),
    account: held.accountId,
    key: held.keyId,
    model: held.modelId,
    channel: held.channelId,
    held_usd: formatNanoUsd(held.amountNanoUsd),
    plausible_usd: formatNanoUsd(held.plausibleNanoUsd),
    prompt_tokens: held.promptTokens,
    completion_tokens: held.completionTokens,
    state: held.state,
  };
}
