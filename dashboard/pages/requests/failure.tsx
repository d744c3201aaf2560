import type { ShownRequest } from '../../api/schema.ts';
import { Notice } from '../../kit/status.tsx';
import { kitText } from '../../text/kit.ts';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';
import { MessageText } from '../shared/message-text.tsx';
import { toneOf } from './status-badge.tsx';

/** Why a request failed, in the words that the client was told. */
export function Failure({ request }: { readonly request: ShownRequest }) {
  const text = useText(requestsText);
  const kit = useText(kitText);
  const { error_code: code, error_message: message, error_param: param, error_hint: hint, error_side: side } = request;
  const { failure_kind: kind, model, requested_model: requested } = request;
  if (code === null) return null;
  const facts: readonly (readonly [string, string | null])[] = [
    [kit.errorCode, code],
    [text.cause, kind === code ? null : kind],
    [text.fault, side && text.sides[side]],
    [kit.errorField, param],
    [text.requestedModel, requested === model ? null : requested],
  ];
  return (
    <Notice
      tone={toneOf(request) === 'bad' ? 'bad' : 'warn'}
      // Older lines have no message.
      title={<MessageText message={message ?? text.failedWith(code)} />}
    >
      {hint !== null && <MessageText message={hint} />}
      <dl className="mt-1 flex flex-wrap gap-x-4 text-xs">
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name} className="flex min-w-0 gap-1">
                <dt>{name}</dt>
                <dd className="min-w-0 break-words font-mono">{value}</dd>
              </div>
            ),
        )}
      </dl>
    </Notice>
  );
}
