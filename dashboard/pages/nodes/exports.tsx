import { Upload } from 'lucide-react';
import type { Export } from '../../api/schema.ts';
import { useApi } from '../../api/use-api.ts';
import { Time, useFormat } from '../../kit/format.tsx';
import { Badge, Empty, ErrorBox } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { nodesText } from '../../text/nodes.ts';
import { useText } from '../../text/text.tsx';

const TONES = { pending: 'neutral', exporting: 'good', failing: 'bad' } as const;

/** The exports of the request log. Shows nothing if there are none. */
export function Exports() {
  const text = useText(nodesText);
  const exports = useApi('listExports', {}, { every: 5_000 });
  const columns = useColumns();
  if (exports.error) return <ErrorBox error={exports.error} onRetry={() => void exports.refetch()} />;
  const items = exports.data?.data ?? [];
  if (items.length === 0) return null;
  return (
    <section>
      <h2 className="mb-3 font-semibold">{text.exports}</h2>
      <DataTable
        label={text.exports}
        columns={columns}
        rows={{ items }}
        keyOf={({ id }) => id}
        empty={
          <Empty icon={Upload} title={text.exports}>
            {null}
          </Empty>
        }
      />
    </section>
  );
}

function useColumns(): readonly Column<Export>[] {
  const text = useText(nodesText);
  const format = useFormat();
  return [
    {
      id: 'export',
      title: text.exportTo,
      width: 'minmax(8rem, 2fr)',
      cell: ({ id, place, last_error }) => (
        <span title={last_error?.message ?? place}>
          {id} <span className="text-soft text-sm">{last_error?.message ?? place}</span>
        </span>
      ),
    },
    {
      id: 'lag',
      title: text.exportLag,
      align: 'end',
      width: '9rem',
      cell: ({ lag_lines, lag_seconds }) =>
        lag_lines === 0 ? format.number(0) : `${format.number(lag_lines)} · ${format.duration(lag_seconds * 1_000)}`,
    },
    {
      id: 'last',
      title: text.exportedAt,
      from: 'md',
      cell: ({ last_exported_at: at }) => (at === null ? '–' : <Time at={at} isRelative />),
    },
    {
      id: 'state',
      title: text.state,
      width: '9rem',
      cell: ({ state }) => <Badge tone={TONES[state]}>{text.exportStates[state]}</Badge>,
    },
  ];
}
