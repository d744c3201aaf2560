import { channelsText } from '../../text/channels.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { ChannelsView } from '../shared/channels/channels-view.tsx';

/** An account's own keys at providers. */
export function Page() {
  const shell = useText(shellText);
  const text = useText(channelsText);
  return (
    <ChannelsView
      title={shell.pages['own-channels']}
      about={text.ownAbout}
      empty={{ title: text.emptyOwnTitle, about: text.emptyOwn }}
    />
  );
}
