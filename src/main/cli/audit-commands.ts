import { type Command, Option } from 'commander';
import { ACTOR_KINDS } from '../../domain/access/actor.ts';
import { auditView, listAudit, type WantedAudit } from '../../engine/admin/audit/read-audit.ts';
import { LARGEST_PAGE, type Page } from '../../engine/admin/page.ts';
import type { ActorKind, AuditEntry } from '../../engine/ports/audit-log.ts';
import { type CommandSetup, withStore } from './context.ts';
import { formatTable } from './table.ts';
import { isoTime } from './time.ts';
import { pastTime, wholeNumber } from './values.ts';

/** Adds `switchyard audit`: the log of changes. */
export function addAuditCommands(setup: CommandSetup): void {
  const audit = setup.program
    .command('audit')
    .description('list and export the audit log: who changed what, when and from where');
  audit.addHelpText(
    'after',
    `
Examples:
  switchyard audit list --account acme
  switchyard audit export --since 30d > audit.jsonl`,
  );
  addList(audit, setup);
  addExport(audit, setup);
}

interface FilterOptions {
  readonly account?: string;
  readonly actor?: ActorKind;
  readonly action?: string;
  readonly object?: string;
  readonly since?: number;
  readonly until?: number;
}

function withFilters(command: Command, nowMs: number): Command {
  return command
    .option('--account <id>', 'only changes to this account')
    .addOption(new Option('--actor <kind>', 'only changes by this kind of actor').choices(ACTOR_KINDS))
    .option('--action <action>', 'only this action, such as key.revoke, or a group of them, such as key')
    .option('--object <id>', 'only changes to the object with this ID')
    .option(
      '--since <when>',
      'from then on: 2026-09-01, 2026-09-01T12:00:00Z, or how long ago: 30d, 12h',
      pastTime(nowMs),
    )
    .option('--until <when>', 'only changes before this time', pastTime(nowMs));
}

function wantedBy({ account, actor, action, object, since, until }: FilterOptions): WantedAudit {
  return { accountId: account, actorKind: actor, action, objectId: object, fromMs: since, toMs: until };
}

function addList(audit: Command, setup: CommandSetup): void {
  withFilters(audit.command('list'), setup.dependencies.clock.nowMs())
    .description('list changes, newest first')
    .option('--limit <number>', 'maximum number to list, up to 1000 (50)', wholeNumber)
    .option('--json', 'print JSON, with the values before and after')
    .addHelpText(
      'after',
      '\nExamples:\n  switchyard audit list --action key.revoke\n  switchyard audit list --object openai --json',
    )
    .action(async (options: FilterOptions & { readonly limit?: number; readonly json?: boolean }) => {
      const { stdout } = setup.dependencies;
      const { limit, json } = options;
      const { items } = await withStore(setup, (store) => listAudit(store.audit, { ...wantedBy(options), limit }));
      if (json)
        stdout.write(
          `${JSON.stringify(
            items.map((entry) => auditView(entry, true)),
            null,
            2,
          )}\n`,
        );
      else if (items.length === 0) stdout.write('No changes found.\n');
      else stdout.write(formatTable(COLUMNS, items.map(asRow)));
    });
}

function addExport(audit: Command, setup: CommandSetup): void {
  withFilters(audit.command('export'), setup.dependencies.clock.nowMs())
    .description('export changes as JSON lines, oldest first')
    .addHelpText('after', '\nExamples:\n  switchyard audit export > audit.jsonl\n  switchyard audit export --since 24h')
    .action(async (options: FilterOptions) => {
      const { stdout } = setup.dependencies;
      const wanted = { ...wantedBy(options), order: 'oldest', limit: LARGEST_PAGE } as const;
      await withStore(setup, async ({ audit: log }) => {
        for (let after: string | null = null; ; ) {
          const page: Page<AuditEntry> = await listAudit(log, { ...wanted, after });
          for (const entry of page.items) stdout.write(`${JSON.stringify(auditView(entry, true))}\n`);
          if (page.next === null) return;
          after = page.next;
        }
      });
    });
}

const COLUMNS = ['time', 'who', 'name', 'action', 'account', 'object', 'changed'];

function asRow({ atMs, actor, action, accountId, objectId, before, after }: AuditEntry): readonly string[] {
  const changed = before === null || after === null ? '-' : Object.keys(after).join(', ');
  const name = actor.name === '' ? (actor.id ?? '-') : actor.name;
  return [isoTime(atMs), actor.kind.replace('_', ' '), name, action, accountId ?? '-', objectId, changed];
}
