import { FileDown, ScrollText } from 'lucide-react';
import { useDeferredValue, useMemo } from 'react';
import { addressOf } from '../../api/client.ts';
import type { AuditEntry } from '../../api/schema.ts';
import { useList } from '../../api/use-api.ts';
import { Button, FileButton } from '../../kit/button.tsx';
import { PeriodPicker } from '../../kit/date.tsx';
import { ListTime } from '../../kit/format.tsx';
import { Named } from '../../kit/named.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { periodOfText, periodText, rangeOf } from '../../kit/period.ts';
import { Select } from '../../kit/select.tsx';
import { Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { isShown, useWidth } from '../../kit/width.ts';
import { type SearchState, useSearchState } from '../../shell/search.ts';
import { auditText } from '../../text/audit.ts';
import { auditSentences } from '../../text/audit-sentences.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { AccountPicker } from '../shared/account-picker.tsx';
import { actorOf, auditSentence } from '../shared/audit/audit-sentence.ts';
import { EntrySheet } from './entry-sheet.tsx';
import { ActionPicker, ActorPicker, ObjectPicker } from './pickers.tsx';

const ROW_HEIGHT = 40;
/** A sentence takes two lines on a phone. */
const TALL_ROW_HEIGHT = 60;
const KINDS = ['person', 'token', 'command_line', 'file', 'environment', 'gateway'] as const;
const FILTERS = ['kind', 'actor', 'action', 'account', 'object', 'period'] as const;
type Filters = SearchState<(typeof FILTERS)[number]>;

export function Page() {
  const text = useText(auditText);
  const pages = useText(shellText).pages;
  const filters = useSearchState(FILTERS);
  const { values, set } = useSearchState(['id']);
  const query = useAuditQuery(filters.values);
  const listed = useList('listAudit', { query }, { keepPrevious: true });
  const open = listed.items.find(({ id }) => String(id) === values.id);
  const isFiltered = FILTERS.some((name) => filters.values[name] !== '');
  return (
    <>
      <PageHeader
        title={pages.audit}
        description={text.about}
        actions={
          <FileButton icon={FileDown} href={addressOf('exportAudit', { query })}>
            {text.export}
          </FileButton>
        }
      />
      <FilterBar filters={filters} isFiltered={isFiltered} entries={listed.items} />
      <DataTable
        label={pages.audit}
        columns={useColumns()}
        rows={listed}
        keyOf={({ id }) => String(id)}
        onOpen={({ id }) => set({ id: String(id) }, false)}
        openKey={values.id}
        rowHeight={isShown('md', useWidth()) ? ROW_HEIGHT : TALL_ROW_HEIGHT}
        empty={
          <Empty icon={ScrollText} title={isFiltered ? text.noneSuch : text.none}>
            {isFiltered ? text.noneSuchText : text.noneText}
          </Empty>
        }
      />
      <EntrySheet
        entry={open}
        onClose={() => set({ id: '' })}
        onFilter={(changes) => filters.set({ ...changes, id: '' } as Parameters<Filters['set']>[0], false)}
      />
    </>
  );
}

/** Converts the address into a query. The ends of a moving period are those of when it was chosen. */
function useAuditQuery(values: Filters['values']) {
  const { kind, actor, action, account, object, period } = useDeferredValue(values);
  return useMemo(() => {
    const chosen = periodOfText(period);
    const known = KINDS.find((one) => one === kind);
    return {
      ...(known && { actor_kind: known }),
      ...(actor.trim() !== '' && { actor: actor.trim() }),
      ...(action.trim() !== '' && { action: action.trim() }),
      ...(account.trim() !== '' && { account_id: account.trim() }),
      ...(object.trim() !== '' && { object_id: object.trim() }),
      ...(chosen && rangeOf(chosen)),
    };
  }, [kind, actor, action, account, object, period]);
}

interface FilterBarProps {
  readonly filters: Filters;
  readonly isFiltered: boolean;
  readonly entries: readonly AuditEntry[];
}

function FilterBar({ filters: { values, set }, isFiltered, entries }: FilterBarProps) {
  const text = useText(auditText);
  const kinds = [{ value: '', label: text.anyKind }, ...KINDS.map((value) => ({ value, label: text.kinds[value] }))];
  const period = periodOfText(values.period);
  return (
    <search className="mb-3 flex flex-col gap-2">
      <div className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3">
        <Select label={text.actorKind} value={values.kind} onChange={(kind) => set({ kind })} options={kinds} />
        <ActorPicker value={values.actor} onChange={(actor) => set({ actor })} entries={entries} />
        <ActionPicker value={values.action} onChange={(action) => set({ action })} />
        <AccountPicker
          label={text.account}
          placeholder={text.account}
          value={values.account === '' ? undefined : values.account}
          onChange={(account) => set({ account: account ?? '' })}
        />
        <ObjectPicker value={values.object} onChange={(object) => set({ object })} entries={entries} />
        {period === undefined ? (
          <Button className="justify-self-start" onClick={() => set({ period: 'week' })}>
            {text.anyTime}
          </Button>
        ) : (
          <PeriodPicker value={period} onChange={(next) => set({ period: periodText(next) })} />
        )}
      </div>
      {isFiltered && (
        <Button
          variant="quiet"
          className="self-start"
          onClick={() => set(Object.fromEntries(FILTERS.map((name) => [name, ''])))}
        >
          {text.clear}
        </Button>
      )}
    </search>
  );
}

function useColumns(): readonly Column<AuditEntry>[] {
  const text = useText(auditText);
  const sentences = useText(auditSentences);
  return [
    {
      id: 'event',
      title: text.event,
      width: 'minmax(9rem, 3fr)',
      cell: (entry) => {
        const sentence = auditSentence(entry, text, sentences);
        return (
          <span title={`${sentence} (${entry.action})`} className="max-md:line-clamp-2 max-md:whitespace-normal">
            {sentence}
          </span>
        );
      },
    },
    {
      ...{ id: 'account', title: text.account, from: 'md', width: 'minmax(6rem, 1fr)' },
      cell: ({ account, account_name: name }) => (account === null ? '–' : <Named name={name} id={account} />),
    },
    {
      id: 'actor',
      title: text.actor,
      from: 'xl',
      width: 'minmax(7rem, 1fr)',
      cell: (entry) => <Named name={actorOf(entry, text, sentences)} id={entry.actor.name} />,
    },
    {
      id: 'at',
      title: text.time,
      width: 'clamp(6.75rem, 18vw, 12.5rem)',
      cell: ({ at }) => (
        <span className="text-sm">
          <ListTime at={at} />
        </span>
      ),
    },
  ];
}
