import { KeyRound, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { AlertDelivery, AlertWebhook } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { useFormat } from '../../kit/format.tsx';
import { ErrorBox, Notice } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/text.tsx';
import type { ShownSecret } from '../shared/credentials/parts.tsx';
import { answerOf } from './delivery-answer.ts';
import { placeOf } from './place.ts';

interface TargetActionsProps {
  readonly target: AlertWebhook;
  /** Whether it is defined in the configuration file: it can only be tested. */
  readonly isFixed: boolean;
  readonly onGone: () => void;
  readonly onSecret: (secret: ShownSecret) => void;
}

/** The actions on a webhook or mail address. */
export function TargetActions({ target, isFixed, onGone, onSecret }: TargetActionsProps) {
  const text = useText(alertsText);
  const toast = useToast();
  const [open, setOpen] = useState<'rotate' | 'remove' | null>(null);
  const place = { params: { id: target.id }, query: placeOf(target.account) };
  const test = useChange('testAlertWebhook', {
    touches: ['listAlertDeliveries', 'listAlertEvents', 'listAlertWebhooks'],
  });
  const rotate = useChange('rotateAlertWebhook', { touches: ['listAlertWebhooks', 'getAlertWebhook'] });
  const remove = useChange('deleteAlertWebhook', { touches: ['listAlertWebhooks'] });
  const close = () => setOpen(null);
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button size="small" icon={Send} isBusy={test.isPending} onClick={() => test.mutate(place)}>
          {text.sendTest}
        </Button>
        {!isFixed && target.type === 'webhook' && (
          <Button size="small" icon={KeyRound} onClick={() => setOpen('rotate')}>
            {text.rotate}
          </Button>
        )}
        {!isFixed && (
          <Button size="small" icon={Trash2} onClick={() => setOpen('remove')}>
            {text.remove}
          </Button>
        )}
      </div>
      {test.error && <ErrorBox error={test.error} />}
      {test.data && <TestResult delivery={test.data} />}
      <ConfirmDialog
        title={text.rotateTitle(target.name)}
        body={text.rotateText}
        confirmLabel={text.rotate}
        isOpen={open === 'rotate'}
        onClose={close}
        onConfirm={async () => {
          const { secret } = await rotate.mutateAsync(place);
          if (secret !== null) onSecret({ name: target.name, secret });
        }}
      />
      <ConfirmDialog
        title={text.removeTarget(target.name)}
        body={text.removeTargetText}
        confirmLabel={text.remove}
        isDanger
        isOpen={open === 'remove'}
        onClose={close}
        onConfirm={async () => {
          await remove.mutateAsync(place);
          toast.done(text.removed);
          onGone();
        }}
      />
    </>
  );
}

const RESULTS = { delivered: 'good', failed: 'bad', pending: 'neutral' } as const;

function TestResult({ delivery }: { readonly delivery: AlertDelivery }) {
  const text = useText(alertsText);
  const { state, last_duration_ms: duration } = delivery;
  const format = useFormat();
  const titles = { delivered: text.testDelivered, failed: text.testFailed, pending: text.testPending };
  const answer = answerOf(delivery, text);
  return (
    <Notice tone={RESULTS[state]} title={titles[state]} isLive>
      {duration === null ? answer : text.result(answer, format.duration(duration))}
    </Notice>
  );
}
