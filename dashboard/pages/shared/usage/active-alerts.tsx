import type { ActiveAlert } from '../../../api/schema.ts';
import { useApi } from '../../../api/use-api.ts';
import { TextLink } from '../../../kit/button.tsx';
import { Time, useFormat } from '../../../kit/format.tsx';
import { Notice } from '../../../kit/status.tsx';
import { scopeOf, useScope } from '../../../shell/scope.tsx';
import { alertSentences } from '../../../text/alert-sentences.ts';
import { useText } from '../../../text/text.tsx';
import { usageText } from '../../../text/usage.ts';
import { alertSentence } from '../alerts/alert-sentence.ts';

const SHOWN = 3;

/** The active alerts; nothing if there are none. */
export function ActiveAlerts() {
  const text = useText(usageText);
  const { query, base } = useScope();
  const alerts = useApi('listActiveAlerts', { query: { ...query, limit: 100 } }, { every: 30_000 });
  const all = alerts.data?.data ?? [];
  if (all.length === 0) return null;
  return (
    <div className="flex flex-col gap-2">
      {all.slice(0, SHOWN).map((alert) => (
        <AlertNotice key={`${alert.account}/${alert.rule.id}/${alert.subject.id}`} alert={alert} />
      ))}
      <p className="text-sm">
        <TextLink to={`${base}/alerts`}>
          {all.length > SHOWN ? text.allAlerts(all.length - SHOWN) : text.toAlerts}
        </TextLink>
      </p>
    </div>
  );
}

export function AlertNotice({ alert }: { readonly alert: ActiveAlert }) {
  const text = useText(usageText);
  const sentences = useText(alertSentences);
  const format = useFormat();
  const { rule, message, since, unit } = alert;
  const reason = unit === 'state' ? reasonIn(message) : '';
  return (
    <Notice tone="warn" title={rule.name}>
      {alertSentence(alert, sentences, format)} <span className="text-soft">{text.alertSince}</span>{' '}
      <Time at={since} isRelative />
      {reason !== '' && <p className="text-soft break-words">{reason}</p>}
      <AlertLinks alert={alert} />
    </Notice>
  );
}

/** Links to what the alert concerns, and to the requests that failed. */
function AlertLinks({ alert }: { readonly alert: ActiveAlert }) {
  const text = useText(usageText);
  const { accountId } = useScope();
  const { subject, rule } = alert;
  const { base } = scopeOf(subject.type === 'account' ? subject.id : (subject.account_id ?? accountId));
  const object = objectOf(subject, base);
  const isFailing = rule.type === 'error_rate';
  const filter = subject.type === 'account' ? {} : { [subject.type]: subject.id };
  return (
    <p className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
      {object !== null && (
        <TextLink to={object.to} search={object.search as never}>
          {text.openObject[object.label]}
        </TextLink>
      )}
      {isFailing && (
        <TextLink to={`${base}/requests`} search={{ ...filter, period: 'day' } as never}>
          {text.viewRequests}
        </TextLink>
      )}
    </p>
  );
}

/** Returns the page of an alert's subject; `null` for a kind that this version does not know. */
function objectOf({ type, id }: ActiveAlert['subject'], base: string) {
  switch (type) {
    case 'account':
      return { label: 'account', to: `${base}/balance`, search: {} } as const;
    case 'key':
      return { label: 'key', to: `${base}/keys`, search: { id, state: 'all' } } as const;
    case 'model':
      return { label: 'model', to: `${base}/models`, search: { id } } as const;
    case 'channel':
      return { label: 'channel', to: `${base}/channels`, search: { id } } as const;
    default:
      return null;
  }
}

/** Returns the provider's reason for blocking a channel, which follows the message's sentence. */
function reasonIn(message: string | null): string {
  const [, ...reason] = (message ?? '').split(': ');
  return reason.join(': ');
}
