import type { Command } from 'commander';
import type { BudgetHolder } from '../../domain/money/budget-in-force.ts';
import {
  endAccountRaise,
  endKeyRaise,
  raiseAccountBudget,
  raiseKeyBudget,
} from '../../engine/admin/accounts/raise-budget.ts';
import { isoTime as exactTime } from '../../engine/admin/view-fields.ts';
import { CommandError } from './command-error.ts';
import { type CommandSetup, withDirectory } from './context.ts';
import { isoTime } from './time.ts';
import { dollars, pointInTime } from './values.ts';

export function addBudgetsCommands(setup: CommandSetup): void {
  const budgets = setup.program
    .command('budgets')
    .description('raise the budget of an account or key for a limited time');
  budgets.addHelpText(
    'after',
    `
Examples:
  switchyard budgets raise acme --by 20 --until 3d
  switchyard budgets raise acme/laptop --to 5 --until 2026-12-01T18:00:00Z
  switchyard budgets end-raise acme`,
  );
  for (const add of [addRaise, addEndRaise]) add(budgets, setup);
}

const HOLDER = 'an account ID, or account/key for the budget of a key';

interface RaiseOptions {
  readonly by?: string;
  readonly to?: string;
  readonly until: number;
}

function addRaise(budgets: Command, setup: CommandSetup): void {
  budgets
    .command('raise')
    .description('raise a budget until a point in time; a later raise replaces an earlier one')
    .argument('<account>', HOLDER)
    .option('--by <usd>', 'how much is added to the budget, such as 20 or 0.25')
    .option('--to <usd>', 'the amount in place of the budget')
    .requiredOption(
      '--until <when>',
      'end: 2027-01-01, 2027-01-01T12:00:00Z, or from now: 7d, 12h, 90m',
      pointInTime(setup.dependencies.clock.nowMs()),
    )
    .addHelpText('after', '\nExamples:\n  switchyard budgets raise acme --by 20 --until 3d')
    .action(async (place: string, { by, to, until }: RaiseOptions) => {
      const { clock, stdout } = setup.dependencies;
      const input = { usd: by, to_usd: to, until: exactTime(until) };
      const { accountId, key } = holderOf(place);
      const raised = await withDirectory(setup, (directory): Promise<BudgetHolder> => {
        const ports = { directory, clock };
        return key === null ? raiseAccountBudget(ports, accountId, input) : raiseKeyBudget(ports, key, input);
      });
      const amount = raised.budgetRaise?.amountNanoUsd ?? 0n;
      stdout.write(
        `raised the budget of ${place} to ${dollars(amount)} per ${raised.budget?.per} until ${isoTime(until)}\n`,
      );
    });
}

function addEndRaise(budgets: Command, setup: CommandSetup): void {
  budgets
    .command('end-raise')
    .description('end the raise of a budget now')
    .argument('<account>', HOLDER)
    .addHelpText('after', '\nExamples:\n  switchyard budgets end-raise acme')
    .action(async (place: string) => {
      const { accountId, key } = holderOf(place);
      const { budget } = await withDirectory(
        setup,
        (directory): Promise<BudgetHolder> =>
          key === null ? endAccountRaise(directory, accountId) : endKeyRaise(directory, key),
      );
      const now = budget === null ? 'it has no budget' : `it is ${dollars(budget.amountNanoUsd)} per ${budget.per}`;
      setup.dependencies.stdout.write(`the budget of ${place} is not raised: ${now}\n`);
    });
}

function holderOf(place: string) {
  const [accountId = '', id, ...more] = place.split('/');
  if (more.length > 0) throw new CommandError(`"${place}": must be an account ID, or account/key`, 2);
  return { accountId, key: id === undefined ? null : ({ accountId, kind: 'inference', id } as const) };
}
