import { Server } from 'lucide-react';
import type { System } from '../../api/schema.ts';
import { useApi } from '../../api/use-api.ts';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Time, useFormat } from '../../kit/format.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Definitions, Panel } from '../../kit/panel.tsx';
import { Badge, Empty, ErrorBox, Loading, Notice } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { nodesText } from '../../text/nodes.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { Exports } from './exports.tsx';
import { VerifyLedger } from './verify-ledger.tsx';

export function Page() {
  const text = useText(nodesText);
  const pages = useText(shellText).pages;
  const system = useApi('getSystem', {}, { every: 5_000 });
  return (
    <>
      <PageHeader title={pages.nodes} description={text.about} />
      {system.error && <ErrorBox error={system.error} onRetry={() => void system.refetch()} />}
      {system.isPending && <Loading />}
      {system.data && (
        <div className="flex flex-col gap-5">
          <Nodes nodes={system.data.nodes} />
          <div className="grid items-start gap-5 lg:grid-cols-2">
            <ThisProcess system={system.data} />
            <Database system={system.data} />
          </div>
          <Exports />
          <VerifyLedger />
        </div>
      )}
    </>
  );
}

type Node = System['nodes'][number];

function Nodes({ nodes }: { readonly nodes: readonly Node[] }) {
  const text = useText(nodesText);
  return (
    <section>
      <h2 className="mb-3 font-semibold">{text.nodes}</h2>
      {nodes.some(({ is_current }) => !is_current) && (
        <div className="mb-3">
          <Notice tone="warn">{text.behindText}</Notice>
        </div>
      )}
      <DataTable
        label={text.nodes}
        columns={useColumns()}
        rows={{ items: nodes }}
        keyOf={({ id }) => id}
        empty={
          <Empty icon={Server} title={text.noNodes}>
            {text.noNodesText}
          </Empty>
        }
      />
    </section>
  );
}

function useColumns(): readonly Column<Node>[] {
  const text = useText(nodesText);
  return [
    {
      id: 'host',
      title: text.host,
      width: 'minmax(8rem, 2fr)',
      cell: ({ host, answers_this }) => (
        <span title={host}>
          {host} {answers_this && <span className="text-soft text-sm">({text.thisOne})</span>}
        </span>
      ),
    },
    { id: 'process', title: text.process, align: 'end', width: '6rem', from: 'md', cell: ({ process }) => process },
    { id: 'version', title: text.version, width: '7rem', from: 'md', cell: ({ version }) => version },
    { id: 'started', title: text.started, from: 'lg', cell: ({ started_at }) => <Time at={started_at} isRelative /> },
    { id: 'seen', title: text.lastSeen, from: 'sm', cell: ({ last_seen_at }) => <Time at={last_seen_at} isRelative /> },
    {
      id: 'state',
      title: text.state,
      width: '9rem',
      cell: ({ is_current }) => (
        <Badge tone={is_current ? 'good' : 'warn'}>{is_current ? text.current : text.behind}</Badge>
      ),
    },
  ];
}

function ThisProcess({ system }: { readonly system: System }) {
  const text = useText(nodesText);
  const format = useFormat();
  const { redis } = system;
  return (
    <Panel title={text.running}>
      <Definitions
        items={[
          {
            term: text.state,
            value: system.ready ? (
              <Badge tone="good">{text.ready}</Badge>
            ) : (
              <>
                <Badge tone="bad">{text.notReady}</Badge> {system.not_ready_reason}
              </>
            ),
          },
          { term: text.version, value: system.version },
          { term: text.runtime, value: system.runtime },
          { term: text.started, value: <Time at={system.started_at} /> },
          { term: text.memory, value: format.bytes(system.memory_bytes) },
          { term: text.inFlight, value: format.number(system.requests_in_flight) },
          { term: text.eventLoop, value: <EventLoop delay={system.event_loop_delay} /> },
          {
            term: text.redis,
            value:
              redis === null ? (
                text.noRedis
              ) : (
                <Badge tone={redis === 'away' ? 'bad' : 'good'}>{text.redisStates[redis]}</Badge>
              ),
          },
        ]}
      />
    </Panel>
  );
}

/** The delays of timers in the last minute or two: large ones mean that the process has more work than one core can do. */
function EventLoop({
  delay: { mean_ms: mean, p99_ms: p99, max_ms: most },
}: {
  readonly delay: System['event_loop_delay'];
}) {
  const text = useText(nodesText);
  const format = useFormat();
  const shown = (ms: number) => format.duration(Math.round(ms));
  return <span className="numbers">{text.eventLoopValues(shown(mean), shown(p99), shown(most))}</span>;
}

function Database({ system: { database } }: { readonly system: System }) {
  const text = useText(nodesText);
  const format = useFormat();
  const { kind, version, bytes, migrations, problem } = database;
  return (
    <Panel title={text.database}>
      {problem !== null && (
        <Notice tone="bad" title={text.cannotWrite}>
          {problem}
        </Notice>
      )}
      <Definitions
        items={[
          { term: text.database, value: `${text.kinds[kind]} ${version ?? ''}` },
          { term: text.size, value: bytes === null ? '–' : format.bytes(bytes) },
          {
            term: text.migrations,
            value: (
              <>
                {text.migrationCount(migrations.length)}{' '}
                <code className="break-all font-mono text-xs">{migrations.at(-1)}</code>
              </>
            ),
          },
        ]}
      />
      {migrations.length > 0 && (
        <Disclosure title={text.allMigrations}>
          <ul className="font-mono text-xs">
            {migrations.map((name) => (
              <li key={name} className="break-all">
                {name}
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
    </Panel>
  );
}
