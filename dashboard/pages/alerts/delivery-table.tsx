import { RotateCw, Send } from 'lucide-react';
import type { AlertDelivery } from '../../api/schema.ts';
import { useChange, useList } from '../../api/use-api.ts';
import { IconButton } from '../../kit/button.tsx';
import { Time } from '../../kit/format.tsx';
import { Named } from '../../kit/named.tsx';
import { Badge, Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useToast } from '../../kit/toast.tsx';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/text.tsx';
import { answerOf } from './delivery-answer.ts';
import { addressKey, placeOf, useMayChange } from './place.ts';

interface DeliveryTableProps {
  readonly query: {
    readonly account_id?: string;
    readonly state?: AlertDelivery['state'];
    readonly event?: string;
  };
}

const TONES = { pending: 'neutral', delivered: 'good', failed: 'bad' } as const;

export function DeliveryTable({ query }: DeliveryTableProps) {
  const text = useText(alertsText);
  const deliveries = useList('listAlertDeliveries', { query }, { every: 10_000 });
  return (
    <DataTable
      label={text.tabs.deliveries}
      columns={useColumns()}
      rows={deliveries}
      keyOf={addressKey}
      empty={
        <Empty icon={Send} title={text.noDeliveries}>
          {text.noDeliveriesText}
        </Empty>
      }
    />
  );
}

function useColumns(): readonly Column<AlertDelivery>[] {
  const text = useText(alertsText);
  const mayChange = useMayChange();
  return [
    {
      ...{ id: 'time', title: text.time, width: '7.5rem', from: 'sm' },
      cell: ({ created_at }) => <Time at={created_at} isRelative />,
    },
    {
      ...{ id: 'event', title: text.event, width: '7rem', from: 'md' },
      cell: ({ event_type }) => text.events[event_type],
    },
    { id: 'target', title: text.target, cell: ({ webhook, webhook_name: name }) => <Named name={name} id={webhook} /> },
    {
      ...{ id: 'state', title: text.state, width: '6.5rem' },
      cell: ({ state }) => <Badge tone={TONES[state]}>{text.deliveryStates[state]}</Badge>,
    },
    {
      ...{ id: 'attempts', title: text.attempts, width: '5rem', align: 'end', from: 'xl' },
      cell: ({ attempts }) => attempts,
    },
    {
      ...{ id: 'answer', title: text.answer, from: 'md' },
      cell: (delivery) => <span title={answerOf(delivery, text)}>{answerOf(delivery, text)}</span>,
    },
    {
      ...{ id: 'actions', title: '', width: '2.5rem' },
      cell: (delivery) =>
        mayChange(delivery.account) && delivery.state !== 'pending' && <Redeliver delivery={delivery} />,
    },
  ];
}

function Redeliver({ delivery: { id, account } }: { readonly delivery: AlertDelivery }) {
  const text = useText(alertsText);
  const toast = useToast();
  const redeliver = useChange('redeliverAlert', { touches: ['listAlertDeliveries'] });
  return (
    <IconButton
      label={text.redeliver}
      icon={RotateCw}
      size="small"
      isBusy={redeliver.isPending}
      onClick={() =>
        redeliver.mutate(
          { params: { id }, query: placeOf(account) },
          { onSuccess: () => toast.done(text.redelivered), onError: toast.failed },
        )
      }
    />
  );
}
