import { BellOff } from 'lucide-react';
import { useApi } from '../../api/use-api.ts';
import { Empty, ErrorBox, Loading } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/text.tsx';
import { AlertNotice } from '../shared/usage/active-alerts.tsx';

export function Active() {
  const text = useText(alertsText);
  const { query } = useScope();
  const { data, error, refetch } = useApi('listActiveAlerts', { query: { ...query, limit: 1_000 } }, { every: 10_000 });
  if (error) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  if (data.data.length === 0)
    return (
      <Empty icon={BellOff} title={text.allWell}>
        {text.allWellText}
      </Empty>
    );
  return (
    <div className="flex flex-col gap-2">
      {data.data.map((alert) => (
        <AlertNotice
          key={`${alert.account}/${alert.rule.id}/${alert.subject.account_id}/${alert.subject.id}`}
          alert={alert}
        />
      ))}
    </div>
  );
}
