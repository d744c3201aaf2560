import type { Command } from 'commander';
import { type Guard, NO_GUARDS } from '../../domain/guards/guard.ts';
import { changeGuard, createGuard, deleteGuard } from '../../engine/admin/guards/change-guards.ts';
import { guardView, listGuards, showGuard } from '../../engine/admin/guards/read-guards.ts';
import { guardFields } from '../../engine/admin/schema/guard.ts';
import { CATALOG_ONLY } from '../../engine/ports/directory-store.ts';
import { CommandError } from './command-error.ts';
import { type CommandSetup, configurationIn, withStore } from './context.ts';
import { formatFields, formatTable } from './table.ts';

/** Adds `switchyard guards`: the rules about the content of requests and responses. */
export function addGuardsCommands(setup: CommandSetup): void {
  const guards = setup.program.command('guards').description('list, change and delete guards of content');
  guards.addHelpText(
    'after',
    `
Examples:
  switchyard guards list
  switchyard guards show privacy
  switchyard guards apply guards.yaml
  switchyard guards delete privacy`,
  );
  for (const add of [addList, addShow, addApply, addDelete]) add(guards, setup);
}

const COLUMNS = ['guard', 'name', 'checks', 'rules', 'moderation', 'webhook', 'managed by'];

function addList(guards: Command, setup: CommandSetup): void {
  guards
    .command('list')
    .description('list guards, by ID')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  switchyard guards list\n  switchyard guards list --json')
    .action(async ({ json }: { json?: boolean }) => {
      const { stdout } = setup.dependencies;
      const { items } = await withStore(setup, ({ directory }) => listGuards(directory, { limit: 1_000 }));
      if (json) stdout.write(`${JSON.stringify(items.map(guardView), null, 2)}\n`);
      else stdout.write(items.length === 0 ? 'No guards found.\n' : formatTable(COLUMNS, items.map(guardRow)));
    });
}

function guardRow(guard: Guard): readonly string[] {
  const { id, name, stages, patterns, pii, terms, moderation, webhook } = guard;
  const rules = [...pii.map(({ kind }) => kind), ...[...patterns, ...terms].map((rule) => rule.name)];
  return [
    id,
    name,
    stages.join(', '),
    rules.join(', ') || '-',
    moderation?.model ?? '-',
    webhook === undefined ? '-' : new URL(webhook.url).origin,
    guardView(guard).managed_by,
  ];
}

function addShow(guards: Command, setup: CommandSetup): void {
  guards
    .command('show')
    .description('print the rules of a guard, without the address and the secret of its webhook')
    .argument('<id>', 'the guard ID')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  switchyard guards show privacy --json')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { stdout } = setup.dependencies;
      const view = guardView(await withStore(setup, ({ directory }) => showGuard(directory, id)));
      stdout.write(json ? `${JSON.stringify(view, null, 2)}\n` : formatFields(view));
    });
}

function addApply(guards: Command, setup: CommandSetup): void {
  guards
    .command('apply')
    .description('create or change the guards of a file; others stay as they are')
    .argument('<file>', 'a file (YAML or JSON) with "guards", as in the configuration')
    .addHelpText(
      'after',
      `
Applying the same file again changes nothing. Guards that the configuration file declares are changed there, with
"switchyard apply".

Examples:
  switchyard guards apply guards.yaml`,
    )
    .action(async (file: string) => {
      const { stdout, clock } = setup.dependencies;
      const { guards: wanted = [] } = await configurationIn(setup.dependencies, file);
      if (wanted.length === 0) throw new CommandError(`${file}: has no guards; write them under "guards"`, 1);
      await withStore(setup, async ({ directory }) => {
        const { guards: existing = [] } = await directory.read(CATALOG_ONLY);
        for (const guard of wanted) {
          const { id, ...fields } = guardFields(guard);
          const isThere = existing.some((one) => one.id === id);
          if (!isThere) await createGuard(directory, clock, { id, ...fields });
          const { changed } = isThere ? await changeGuard(directory, id, fields) : { changed: NO_GUARDS };
          const what = isThere ? (changed.length > 0 ? 'changed' : 'unchanged') : 'created';
          stdout.write(`${what}  guard ${id}\n`);
        }
      });
    });
}

function addDelete(guards: Command, setup: CommandSetup): void {
  guards
    .command('delete')
    .description('delete a guard that no model, account or key names')
    .argument('<id>', 'the guard ID')
    .addHelpText('after', '\nExamples:\n  switchyard guards delete privacy')
    .action(async (id: string) => {
      await withStore(setup, ({ directory }) => deleteGuard(directory, id));
      setup.dependencies.stdout.write(`deleted guard ${id}\n`);
    });
}
