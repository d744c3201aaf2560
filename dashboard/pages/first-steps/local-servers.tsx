import { useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { type ApiError, call } from '../../api/client.ts';
import { useApi } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { ErrorBox } from '../../kit/status.tsx';
import { firstStepsText } from '../../text/first-steps.ts';
import { useText } from '../../text/text.tsx';
import { SaveChannel } from './save-channel.tsx';
import type { Tested } from './tested.ts';

/** Model servers on the gateway's machine, found when an operator requests it. The operator chooses their models, which have no price. */
export function LocalServers({ onSaved }: { readonly onSaved: () => void }) {
  const text = useText(firstStepsText);
  const [chosen, setChosen] = useState<Tested | null>(null);
  const providers = useApi('listProviders', { query: { limit: 200 } });
  const found = useQuery<readonly Tested[], ApiError>({
    queryKey: ['local-servers'],
    queryFn: async ({ signal }) => {
      const answers: Tested[] = [];
      // Sequentially: the gateway tests few channels at once.
      for (const { id, name } of (providers.data?.data ?? []).filter(isLocal)) {
        const probe = await call('probeChannel', { body: { provider: id } }, signal);
        if (probe.ok === true && probe.models.length > 0) answers.push({ channel: { provider: id, name }, probe });
      }
      return answers;
    },
    enabled: false,
  });
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button
          size="small"
          icon={Search}
          isBusy={found.isFetching}
          disabled={!providers.data}
          onClick={() => void found.refetch()}
        >
          {text.lookForServers}
        </Button>
        <span className="min-w-0 flex-1 basis-60 text-soft">{text.serversAbout}</span>
      </div>
      <div role="status" className="flex flex-col gap-2 empty:hidden">
        {found.data?.length === 0 && !found.isFetching && <p>{text.serverNone}</p>}
        {found.data?.map(({ channel, probe }) => (
          <p key={channel.provider} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {text.serverFound(channel.name, probe.models.length)}
            <Button size="small" onClick={() => setChosen({ channel, probe })}>
              {text.use}
            </Button>
          </p>
        ))}
      </div>
      {chosen && <SaveChannel key={chosen.channel.provider} tested={chosen} onSaved={onSaved} />}
      {found.error && <ErrorBox error={found.error} />}
    </>
  );
}

interface Facts {
  readonly api_key: { readonly required: boolean };
  readonly lists_models: boolean;
  readonly base_url: string | null;
}

/** Returns whether a provider needs no key, is at an address of this machine, and has a model list that proves its presence. */
function isLocal({ api_key: key, lists_models: lists, base_url: url }: Facts): boolean {
  return !key.required && lists && url !== null && /^http:\/\/(?:127\.0\.0\.1|localhost)[:/]/.test(url);
}
