import { useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { Button, TextLink } from '../../kit/button.tsx';
import { Badge, ErrorBox, Loading } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { firstStepsText } from '../../text/first-steps.ts';
import { useText } from '../../text/text.tsx';
import { LocalServers } from './local-servers.tsx';
import type { Progress } from './progress.ts';
import { ProviderForm } from './provider-form.tsx';
import { SaveChannel } from './save-channel.tsx';
import type { Tested } from './tested.ts';

const HAS_MOUSE = matchMedia('(pointer: fine)').matches;

interface ProviderStepProps {
  readonly progress: Progress;
  readonly onSandbox: () => void;
}

export function ProviderStep({ progress, onSandbox }: ProviderStepProps) {
  const text = useText(firstStepsText);
  const { isOperator, mayOwn } = useScope();
  const { channels, done, providerModels } = progress;
  const [isAdding, setAdding] = useState(!done.provider);
  const about = isOperator ? text.providerAbout : providerModels > 0 ? text.ownAbout : text.ownNone;
  return (
    <>
      {channels.length > 0 && <Connected channels={channels} />}
      {channels.length === 0 && providerModels > 0 && <p>{text.shared(providerModels)}</p>}
      {!mayOwn && <p className="text-soft text-sm">{text.providerMayNot}</p>}
      {mayOwn && !isAdding && (
        <div>
          <Button onClick={() => setAdding(true)}>{text.another}</Button>
        </div>
      )}
      {mayOwn && isAdding && (
        <>
          <p className="text-soft text-sm">{about}</p>
          <Connecting isFirst={!done.provider && HAS_MOUSE} onSaved={() => setAdding(false)} />
        </>
      )}
      {!done.provider && (
        <div className="flex flex-col gap-2 rounded-lg bg-sunken p-3 text-sm">
          <p className="font-medium">{text.or}</p>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <Button size="small" onClick={onSandbox}>
              {text.useSandbox}
            </Button>
            <span className="min-w-0 flex-1 basis-60 text-soft">{text.sandboxAbout}</span>
          </div>
          {isOperator && <LocalServers onSaved={() => setAdding(false)} />}
        </div>
      )}
    </>
  );
}

function Connected({ channels }: Pick<Progress, 'channels'>) {
  const text = useText(firstStepsText);
  const { isOperator, base } = useScope();
  const page = isOperator ? '/app/operator/channels' : `${base}/channels`;
  return (
    <ul className="flex flex-col gap-1.5">
      {channels.map(({ id, name, models }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <TextLink to={page} search={{ id } as never} className="min-w-0 break-words">
            {name}
          </TextLink>
          <Badge tone="good">{text.connected}</Badge>
          <span className="numbers text-soft text-sm">{text.channelOf(models.length)}</span>
        </li>
      ))}
    </ul>
  );
}

interface ConnectingProps {
  readonly isFirst: boolean;
  readonly onSaved: () => void;
}

function Connecting({ isFirst, onSaved }: ConnectingProps) {
  const { query } = useScope();
  const providers = useApi('listProviders', { query: { ...query, limit: 200 } });
  const [tested, setTested] = useState<Tested | null>(null);
  if (providers.error) return <ErrorBox error={providers.error} onRetry={() => void providers.refetch()} />;
  if (!providers.data) return <Loading />;
  return (
    <>
      <ProviderForm providers={providers.data.data} tested={tested} onTested={setTested} isFirst={isFirst} />
      {tested && tested.probe.ok !== false && (
        // Reset for each test, since other keys reach other models.
        <SaveChannel key={JSON.stringify(tested.channel)} tested={tested} onSaved={onSaved} />
      )}
    </>
  );
}
