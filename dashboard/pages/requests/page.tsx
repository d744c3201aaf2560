import { Activity, ArrowUp, Download, FileJson, FileSpreadsheet, Pause, Play } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { addressOf } from '../../api/client.ts';
import { Button, LinkButton } from '../../kit/button.tsx';
import { Menu } from '../../kit/menu.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Dot, Empty, type Tone } from '../../kit/status.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { requestsText } from '../../text/requests.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { useColumns } from './columns.tsx';
import { FilterBar } from './filter-bar.tsx';
import { type FiltersInUse, useFilters } from './filters.ts';
import { type LiveRows, type LiveState, useLiveRows } from './live.ts';
import { StorySheet } from './story.tsx';

export function Page() {
  const text = useText(requestsText);
  const pages = useText(shellText).pages;
  const scope = useScope();
  const filters = useFilters(scope.query);
  const { values, set } = useSearchState(['id']);
  return (
    <>
      <PageHeader title={pages.requests} description={text.about} actions={<Export filters={filters} />} />
      <FilterBar filters={filters} onJump={(id) => set({ id }, false)} />
      <Log
        key={JSON.stringify(filters.query)}
        filters={filters}
        openId={values.id}
        onOpen={(id) => set({ id }, false)}
        onStep={(id) => set({ id })}
      />
    </>
  );
}

/** Downloads a file without leaving the page. */
function save(address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = '';
  link.click();
}

function Export({ filters: { query } }: { readonly filters: FiltersInUse }) {
  const text = useText(requestsText);
  const saveAs = (format: 'csv' | 'jsonl') => save(addressOf('exportRequests', { query: { ...query, format } }));
  return (
    <Menu
      label={text.exportAll}
      trigger={<Button icon={Download}>{text.exportAll}</Button>}
      items={[
        { label: text.exportCsv, icon: FileSpreadsheet, onSelect: () => saveAs('csv') },
        { label: text.exportJsonl, icon: FileJson, onSelect: () => saveAs('jsonl') },
      ]}
    />
  );
}

interface LogProps {
  readonly filters: FiltersInUse;
  readonly openId: string;
  readonly onOpen: (id: string) => void;
  /** Shows another request in place of the open one; `''` closes it. */
  readonly onStep: (id: string) => void;
}

function Log({ filters, openId, onOpen, onStep }: LogProps) {
  const text = useText(requestsText);
  const pages = useText(shellText).pages;
  const [isPaused, setPaused] = useState(false);
  const isScrolled = useScrolled();
  const rows = useLiveRows(filters, isPaused || isScrolled);
  const columns = useColumns();
  const ids = useMemo(() => rows.items.map(({ id }) => id), [rows.items]);
  const { hasMore, loadMore } = rows;
  // The next request can always be reached.
  const isLast = openId !== '' && ids.at(-1) === openId;
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads once each time the last one is open.
  useEffect(() => {
    if (isLast && hasMore) loadMore();
  }, [isLast, hasMore]);
  return (
    <>
      <div className="mb-2 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 text-soft text-sm">
        <LiveDot state={rows.state} isPaused={isPaused} />
        {rows.state !== 'off' && (
          <Button
            size="small"
            variant="quiet"
            icon={isPaused ? Play : Pause}
            aria-pressed={isPaused}
            onClick={() => setPaused(!isPaused)}
          >
            {isPaused ? text.resume : text.pause}
          </Button>
        )}
      </div>
      <NewPill rows={rows} />
      <DataTable
        label={pages.requests}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        onOpen={({ id }) => onOpen(id)}
        openKey={openId}
        empty={<None filters={filters} />}
      />
      <StorySheet id={openId} ids={ids} onStep={onStep} onClose={() => onStep('')} />
    </>
  );
}

const SCROLLED = 200;

/** Returns whether the page is scrolled: rows must not move for somebody who reads further down. */
function useScrolled(): boolean {
  const [isScrolled, setScrolled] = useState(false);
  useEffect(() => {
    const look = () => setScrolled(scrollY > SCROLLED);
    look();
    addEventListener('scroll', look, { passive: true });
    return () => removeEventListener('scroll', look);
  }, []);
  return isScrolled;
}

const TONES: Readonly<Record<LiveState, Tone>> = { off: 'neutral', connecting: 'warn', live: 'good', polling: 'warn' };

function LiveDot({ state, isPaused }: { readonly state: LiveState; readonly isPaused: boolean }) {
  const text = useText(requestsText);
  const isStopped = isPaused && state !== 'off';
  return <Dot tone={isStopped ? 'neutral' : TONES[state]}>{isStopped ? text.paused : text.live[state]}</Dot>;
}

function NewPill({ rows: { waiting, showWaiting } }: { readonly rows: LiveRows }) {
  const text = useText(requestsText);
  const show = () => {
    showWaiting();
    scrollTo({ top: 0 });
  };
  return (
    <div
      role="status"
      className="pointer-events-none sticky top-[calc(var(--frame-top)+0.5rem)] z-5 flex h-0 justify-center overflow-visible"
    >
      {waiting > 0 && (
        <Button
          variant="primary"
          size="small"
          icon={ArrowUp}
          className="pointer-events-auto rounded-full shadow-pop"
          onClick={show}
        >
          {text.newRequests(waiting)}
        </Button>
      )}
    </div>
  );
}

function None({ filters: { count, clear } }: { readonly filters: FiltersInUse }) {
  const text = useText(requestsText);
  const { base, mayWrite, accountId } = useScope();
  if (count > 0)
    return (
      <Empty icon={Activity} title={text.noneSuch} action={<Button onClick={clear}>{text.clearFilters}</Button>}>
        {text.noneSuchText}
      </Empty>
    );
  const first = mayWrite && accountId !== null && (
    <LinkButton variant="primary" to={`${base}/first-steps`}>
      {text.toFirstSteps}
    </LinkButton>
  );
  return (
    <Empty icon={Activity} title={text.none} action={first}>
      {text.noneText}
    </Empty>
  );
}
