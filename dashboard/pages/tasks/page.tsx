import { ClipboardList } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ManagedTask } from '../../api/schema.ts';
import { useList } from '../../api/use-api.ts';
import { LinkButton } from '../../kit/button.tsx';
import { Segmented } from '../../kit/choice.tsx';
import { Money, Time, useFormat } from '../../kit/format.tsx';
import { Named } from '../../kit/named.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useScope } from '../../shell/scope.tsx';
import { type SearchState, useSearchState } from '../../shell/search.ts';
import { shellText } from '../../text/shell.ts';
import { tasksText } from '../../text/tasks.ts';
import { useText } from '../../text/text.tsx';
import { ModelFilter } from '../shared/model-filter.tsx';
import { Gallery } from './gallery.tsx';
import { costOf } from './task-cost.ts';
import { TaskSheet } from './task-sheet.tsx';
import { TaskState } from './task-state.tsx';
import { Thumbnail } from './thumbnail.tsx';

const KINDS = ['video', 'music', '3d', 'image'] as const;
const STATES = ['open', 'completed', 'failed'] as const;
const WHILE_OPEN_MS = 10_000;
const ELSE_MS = 20_000;
const ROW_HEIGHT = 60;

export function Page() {
  const text = useText(tasksText);
  const pages = useText(shellText).pages;
  const { query, isMember } = useScope();
  const { values, set } = useSearchState(['kind', 'state', 'model', 'view', 'id']);
  const kind = KINDS.find((one) => one === values.kind);
  const state = STATES.find((one) => one === values.state);
  // Only members of the account see its results.
  const isGallery = isMember && values.view === 'gallery';
  const wanted = {
    ...query,
    ...(kind && { kind }),
    ...(values.model !== '' && { model: values.model }),
    ...(isGallery ? { stage: 'completed' as const } : state === 'open' ? { open: true } : state && { stage: state }),
  };
  const [hasOpen, setHasOpen] = useState(true);
  const tasks = useList('listManagedTasks', { query: wanted }, { every: hasOpen ? WHILE_OPEN_MS : ELSE_MS });
  const isAnyOpen = tasks.items.some(({ ended_at }) => ended_at === null);
  useEffect(() => setHasOpen(isAnyOpen), [isAnyOpen]);
  const columns = useColumns();
  const open = ({ id }: ManagedTask) => set({ id }, false);
  const none = (
    <None isFiltered={kind !== undefined || state !== undefined || values.model !== ''} isGallery={isGallery} />
  );
  return (
    <>
      <PageHeader title={pages.tasks} description={text.about} />
      <FilterBar {...{ kind, state, model: values.model, isGallery, set }} />
      {isGallery ? (
        <Gallery tasks={tasks} onOpen={open} empty={none} />
      ) : (
        <DataTable
          label={pages.tasks}
          columns={columns}
          rows={tasks}
          keyOf={({ id }) => id}
          onOpen={open}
          openKey={values.id}
          rowHeight={ROW_HEIGHT}
          empty={none}
        />
      )}
      <TaskSheet id={values.id} onClose={() => set({ id: '' })} />
    </>
  );
}

interface FilterBarProps {
  readonly kind: (typeof KINDS)[number] | undefined;
  readonly state: (typeof STATES)[number] | undefined;
  readonly model: string;
  readonly isGallery: boolean;
  readonly set: SearchState<'kind' | 'state' | 'model' | 'view' | 'id'>['set'];
}

function FilterBar({ kind, state, model, isGallery, set }: FilterBarProps) {
  const text = useText(tasksText);
  const { isMember } = useScope();
  return (
    <div className="mb-3 flex flex-wrap gap-2">
      {!isGallery && (
        <Segmented
          label={text.state}
          value={state ?? 'all'}
          onChange={(next) => set({ state: next === 'all' ? '' : next })}
          options={[
            { value: 'all', label: text.all },
            ...STATES.map((value) => ({ value, label: text.states[value] })),
          ]}
        />
      )}
      <Segmented
        label={text.kind}
        value={kind ?? 'all'}
        onChange={(next) => set({ kind: next === 'all' ? '' : next })}
        options={[{ value: 'all', label: text.all }, ...KINDS.map((value) => ({ value, label: text.kinds[value] }))]}
      />
      <ModelFilter
        label={text.model}
        anyModel={text.anyModel}
        value={model}
        onChange={(next) => set({ model: next })}
      />
      {isMember && (
        <span className="ms-auto">
          <Segmented
            label={text.view}
            value={isGallery ? 'gallery' : 'list'}
            onChange={(next) => set({ view: next === 'list' ? '' : next, state: '' })}
            options={(['list', 'gallery'] as const).map((value) => ({ value, label: text.views[value] }))}
          />
        </span>
      )}
    </div>
  );
}

/** The columns fit the page beside the navigation at 1024 px. */
function useColumns(): readonly Column<ManagedTask>[] {
  const text = useText(tasksText);
  const format = useFormat();
  const { accountId } = useScope();
  const asker: Column<ManagedTask> =
    accountId === null
      ? {
          ...{ id: 'account', title: text.account, from: 'md', width: 'minmax(5.5rem, 1.6fr)' },
          cell: ({ account, account_name: name }) => <Named name={name} id={account} />,
        }
      : {
          ...{ id: 'key', title: text.key, from: 'md', width: 'minmax(5.5rem, 1fr)' },
          cell: ({ key, key_name: name }) => (key === null ? '–' : <Named name={name} id={key} />),
        };
  return [
    {
      ...{ id: 'task', title: text.task, width: 'minmax(7rem, 2.5fr)' },
      cell: (task) => (
        <span className="flex min-w-0 items-center gap-3">
          <Thumbnail task={task} />
          <span className="truncate">{task.preview?.title ?? text.kinds[task.kind]}</span>
        </span>
      ),
    },
    {
      ...{ id: 'model', title: text.model, from: 'sm', width: 'minmax(6rem, 1.2fr)' },
      cell: ({ model }) => <span title={model}>{model}</span>,
    },
    asker,
    {
      ...{ id: 'channel', title: text.channel, from: 'xl', width: 'minmax(6rem, 1fr)' },
      cell: ({ channel, channel_name: name }) => (channel === null ? '–' : <Named name={name} id={channel} />),
    },
    {
      ...{ id: 'duration', title: text.duration, from: 'xl', width: '5rem', align: 'end' },
      cell: ({ created_at: began, ended_at: ended }) =>
        ended === null ? '–' : format.duration(Math.max(0, Date.parse(ended) - Date.parse(began))),
    },
    {
      ...{ id: 'cost', title: text.cost, from: 'sm', width: '5rem', align: 'end' },
      cell: (task) => <Money usd={costOf(task)} />,
    },
    { id: 'state', title: text.state, width: '7rem', cell: (task) => <TaskState task={task} /> },
    {
      ...{ id: 'age', title: text.created, from: 'md', width: '7.5rem' },
      cell: ({ created_at }) => <Time at={created_at} isRelative />,
    },
  ];
}

interface NoneProps {
  readonly isFiltered: boolean;
  readonly isGallery: boolean;
}

function None({ isFiltered, isGallery }: NoneProps) {
  const text = useText(tasksText);
  const { base, mayWrite, accountId } = useScope();
  if (isFiltered) return <Empty icon={ClipboardList} title={text.noneSuch} />;
  const action = mayWrite && accountId !== null && (
    <LinkButton variant="primary" to={`${base}/playground`}>
      {text.toPlayground}
    </LinkButton>
  );
  return (
    <Empty icon={ClipboardList} title={isGallery ? text.noResults : text.none} action={action}>
      {text.noneText}
    </Empty>
  );
}
