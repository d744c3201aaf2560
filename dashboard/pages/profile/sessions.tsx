import { useState } from 'react';
import { useApi, useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Time } from '../../kit/format.tsx';
import { Panel } from '../../kit/panel.tsx';
import { Badge, ErrorBox, Loading } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { profileText } from '../../text/profile.ts';
import { useText } from '../../text/text.tsx';

export function Sessions() {
  const text = useText(profileText);
  const toast = useToast();
  const sessions = useApi('listSessions');
  const [isAsking, setAsking] = useState(false);
  const endOthers = useChange('revokeSessions', {
    touches: ['listSessions'],
    onDone: ({ revoked }) => toast.done(text.ended(revoked)),
  });
  const endOne = useChange('revokeSession', { touches: ['listSessions'], onDone: () => toast.done(text.ended(1)) });
  const all = sessions.data?.data;
  const others = (all ?? []).filter(({ current }) => !current);
  const action = others.length > 0 && (
    <Button size="small" onClick={() => setAsking(true)}>
      {text.endOthers}
    </Button>
  );
  return (
    <Panel title={text.sessions} {...(action && { actions: action })}>
      {sessions.error && <ErrorBox error={sessions.error} onRetry={() => void sessions.refetch()} />}
      {!all && !sessions.error && <Loading />}
      <ul className="flex flex-col gap-2">
        {all?.map(({ id, current, address, user_agent: agent, second_factor: hasFactor, created_at: at }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
            <span className="min-w-0 flex-1 basis-60 break-words">
              {agentName(agent) ?? text.unknownAgent}
              <span className="block text-soft text-xs">
                {address} · <Time at={at} />
              </span>
            </span>
            {hasFactor && <Badge>{text.withFactor}</Badge>}
            {current ? (
              <Badge tone="accent">{text.thisOne}</Badge>
            ) : (
              <Button
                size="small"
                aria-label={`${text.end}: ${agentName(agent) ?? text.unknownAgent}`}
                isBusy={endOne.isPending}
                onClick={() => endOne.mutate({ params: { id } })}
              >
                {text.end}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {endOne.error && <ErrorBox error={endOne.error} />}
      <ConfirmDialog
        title={text.endTitle}
        body={text.endText}
        confirmLabel={text.endOthers}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => endOthers.mutateAsync({})}
      />
    </Panel>
  );
}

/** Extracts browser and system from a user agent; returns null if it is missing. */
function agentName(agent: string | null): string | null {
  if (agent === null || agent === '') return null;
  const browser = [/Edg/, /OPR|Opera/, /Firefox/, /Chrome|Chromium/, /Safari/].find((one) => one.test(agent));
  const names = { Edg: 'Edge', 'OPR|Opera': 'Opera', 'Chrome|Chromium': 'Chrome' } as Record<string, string>;
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(agent)?.[0];
  if (browser === undefined) return agent.slice(0, 100);
  return [names[browser.source] ?? browser.source, system].filter(Boolean).join(' · ');
}
