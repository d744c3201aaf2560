import { Eye } from 'lucide-react';
import { useState } from 'react';
import type { Capture as Captured } from '../../api/schema.ts';
import { useApi } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { CodeBlock } from '../../kit/copy.tsx';
import { useFormat } from '../../kit/format.tsx';
import { ErrorBox, Loading } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';

/** The captured request and answer: read only on request, since an operator's access is recorded in the audit log. */
export function Capture({ id }: { readonly id: string }) {
  const text = useText(requestsText);
  const { query, accountId, isOperator } = useScope();
  const [isWanted, setWanted] = useState(false);
  const account = useApi('getAccount', { query }, { enabled: accountId !== null });
  const { data, error } = useApi('getCapture', { params: { id }, query }, { enabled: isWanted, isStill: true });
  if (error?.status === 404) return <p className="text-soft text-sm">{text.notCaptured}</p>;
  if (error) return <ErrorBox error={error} />;
  if (data) {
    return (
      <div className="flex flex-col gap-3">
        <Body title={text.prompt} body={data.request} />
        <Body title={text.answer} body={data.answer} />
      </div>
    );
  }
  if (isWanted) return <Loading />;
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="text-soft text-sm">
        {account.data?.capture === 'none' ? text.captureOff : text.captureOn} {isOperator && text.captureAudited}
      </p>
      <Button icon={Eye} size="small" onClick={() => setWanted(true)}>
        {text.showCapture}
      </Button>
    </div>
  );
}

function Body({ title, body }: { readonly title: string; readonly body: Captured['request'] }) {
  const text = useText(requestsText);
  const format = useFormat();
  const { text: content, content_type: type, bytes, is_cut: isCut, omitted } = body;
  const size = bytes === null ? '' : ` · ${format.bytes(bytes)}`;
  if (content === null) {
    return (
      <p className="text-sm">
        {title}: <span className="text-soft">{text.omitted[omitted ?? 'not_read']}</span>
      </p>
    );
  }
  return (
    <div>
      <CodeBlock title={`${title} · ${type ?? '?'}${size}`} language="json" code={indented(content)} />
      {isCut && <p className="mt-1 text-soft text-xs">{text.isCut}</p>}
    </div>
  );
}

/** Indents JSON; returns other text unchanged. */
function indented(content: string): string {
  try {
    return JSON.stringify(JSON.parse(content), null, 2);
  } catch {
    return content;
  }
}
