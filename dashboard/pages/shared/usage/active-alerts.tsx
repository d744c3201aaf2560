import type { ActiveAlert } from '../../../api/schema.ts';
import { useApi } from '../../../api/use-api.ts';
import { TextLink } from '../../../kit/button.tsx';
import { Time } from '../../../kit/format.tsx';
import { Notice } from '../../../kit/status.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { useText } from '../../../text/text.tsx';
import { usageText } from '../../../text/usage.ts';

const SHOWN = 3;

/** What is beyond its threshold now; nothing where all is well. */
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

export function AlertNotice({ alert: { rule, message, since } }: { readonly alert: ActiveAlert }) {
  const text = useText(usageText);
  return (
    <Notice tone="warn" title={rule.name}>
      {message} <span className="text-soft">{text.alertSince}</span> <Time at={since} isRelative />
    </Notice>
  );
}
