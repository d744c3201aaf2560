import { History } from 'lucide-react';
import type { AlertEvent } from '../../api/schema.ts';
import { useApi, useList } from '../../api/use-api.ts';
import { Sheet } from '../../kit/dialog.tsx';
import { Time, useFormat } from '../../kit/format.tsx';
import { NamedInFull } from '../../kit/named.tsx';
import { Definitions } from '../../kit/panel.tsx';
import { Badge, Empty, ErrorBox, Loading, type Tone } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { alertSentences } from '../../text/alert-sentences.ts';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/text.tsx';
import { alertSentence } from '../shared/alerts/alert-sentence.ts';
import { SubjectLink } from '../shared/alerts/subject-link.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { addressKey, placeOf } from './place.ts';

const TONES: Readonly<Record<AlertEvent['type'], Tone>> = {
  'alert.raised': 'bad',
  'alert.repeated': 'warn',
  'alert.resolved': 'good',
  'alert.test': 'neutral',
  'alert.target_disabled': 'warn',
};

/** The alert events of the last 30 days. */
export function Events() {
  const text = useText(alertsText);
  const { query } = useScope();
  const { values, set } = useSearchState(['id']);
  const events = useList('listAlertEvents', { query });
  return (
    <>
      <DataTable
        label={text.tabs.events}
        columns={useColumns()}
        rows={events}
        keyOf={addressKey}
        onOpen={(event) => set({ id: addressKey(event) }, false)}
        openKey={values.id}
        empty={
          <Empty icon={History} title={text.noEvents}>
            {text.noEventsText}
          </Empty>
        }
      />
      <EventSheet address={values.id} onClose={() => set({ id: '' })} />
    </>
  );
}

function useColumns(): readonly Column<AlertEvent>[] {
  const text = useText(alertsText);
  const sentenceOf = useSentence();
  return [
    { id: 'time', title: text.time, width: '9rem', cell: ({ created_at }) => <Time at={created_at} isRelative /> },
    {
      ...{ id: 'event', title: text.event, width: '9rem', from: 'sm' },
      cell: ({ type }) => <Badge tone={TONES[type]}>{text.events[type]}</Badge>,
    },
    { id: 'message', title: text.message, width: 'minmax(8rem, 3fr)', cell: sentenceOf },
  ];
}

function useSentence(): (event: AlertEvent) => string {
  const sentences = useText(alertSentences);
  const format = useFormat();
  return (event) => alertSentence(event, sentences, format);
}

interface EventSheetProps {
  readonly address: string;
  readonly onClose: () => void;
}

function EventSheet({ address, onClose }: EventSheetProps) {
  const text = useText(alertsText);
  const sentenceOf = useSentence();
  const at = address.indexOf('/');
  const place = { params: { id: address.slice(at + 1) }, query: placeOf(address.slice(0, at) || null) };
  const { data, error, isLoading } = useApi('getAlertEvent', place, { enabled: address !== '' });
  return (
    <Sheet title={data ? text.events[data.type] : text.event} isOpen={address !== ''} onClose={onClose} size="large">
      {error && <ErrorBox error={error} />}
      {isLoading && <Loading />}
      {data && address !== '' && (
        <div className="flex flex-col gap-4">
          <p className="break-words">
            {sentenceOf(data)} <SubjectLink alert={data} />
          </p>
          <Definitions
            items={[
              { term: text.time, value: <Time at={data.created_at} /> },
              { term: text.rule, value: data.rule?.name ?? '–' },
              {
                term: text.account,
                value:
                  data.account_id === null ? (
                    '–'
                  ) : (
                    <NamedInFull name={data.subject?.account_name} id={data.account_id} />
                  ),
              },
              { term: text.asSent, value: data.message },
            ]}
          />
          <h3 className="font-semibold">{text.deliveriesOf}</h3>
          <DeliveryTable query={{ ...place.query, event: data.id }} />
        </div>
      )}
    </Sheet>
  );
}
