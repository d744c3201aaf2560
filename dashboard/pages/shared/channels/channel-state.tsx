import type { Channel } from '../../../api/schema.ts';
import { Time } from '../../../kit/format.tsx';
import { Dot, type Tone } from '../../../kit/status.tsx';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';

const TONES: Readonly<Record<Channel['state'], Tone>> = {
  ready: 'good',
  probing: 'accent',
  resting: 'warn',
  disabled: 'neutral',
  blocked: 'bad',
};

type Health = Pick<Channel, 'state'> & { readonly resting_until?: string | null };

/** The state of a channel, or of one of its models. */
export function ChannelState({ state, resting_until: until = null }: Health) {
  const text = useText(channelsText);
  return (
    <Dot tone={TONES[state]}>
      <span>
        {text.states[state]}
        {state === 'resting' && until !== null && (
          <>
            {' '}
            <Time at={until} isRelative />
          </>
        )}
      </span>
    </Dot>
  );
}
