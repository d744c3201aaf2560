import { Eye } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import type { Capture as Captured, ShownRequest } from '../../api/schema.ts';
import { useApi } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { CodeBlock } from '../../kit/copy.tsx';
import { useFormat } from '../../kit/format.tsx';
import { ErrorBox, Loading } from '../../kit/status.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { useScope } from '../../shell/scope.tsx';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';
import { type Conversation, conversationOf } from './conversation/index.ts';
import { AnsweredView, AskedView } from './conversation-view.tsx';

/** The captured request and response: read only on request, since an operator's access is recorded in the audit log. */
export function Capture({ request: { id, format } }: { readonly request: Pick<ShownRequest, 'id' | 'format'> }) {
  const text = useText(requestsText);
  const { query, accountId, isOperator } = useScope();
  const [isWanted, setWanted] = useState(false);
  const account = useApi('getAccount', { query }, { enabled: accountId !== null });
  const { data, error } = useApi('getCapture', { params: { id }, query }, { enabled: isWanted, isStill: true });
  if (error?.status === 404) return <p className="text-soft text-sm">{text.notCaptured}</p>;
  if (error) return <ErrorBox error={error} />;
  if (data) return <Bodies capture={data} format={format} />;
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

interface BodiesProps {
  readonly capture: Captured;
  /** The format of the request. */
  readonly format: string;
}

/** The exchange as a conversation, if its format has one, beside the bodies as they were sent. */
function Bodies({ capture, format }: BodiesProps) {
  const text = useText(requestsText);
  const [tab, setTab] = useState<'conversation' | 'raw'>('conversation');
  const conversation = useMemo(() => conversationOf(format, capture.request, capture.answer), [format, capture]);
  const raw = (
    <div className="flex flex-col gap-3">
      <Body title={text.prompt} body={capture.request} />
      <Body title={text.answer} body={capture.answer} />
    </div>
  );
  if (conversation === null) return raw;
  return (
    <Tabs
      label={text.capture}
      value={tab}
      onChange={setTab}
      tabs={[
        {
          value: 'conversation',
          label: text.conversation,
          content: <Sides capture={capture} conversation={conversation} />,
        },
        { value: 'raw', label: text.raw, content: raw },
      ]}
    />
  );
}

interface SidesProps {
  readonly capture: Captured;
  readonly conversation: Conversation;
}

function Sides({ capture, conversation: { asked, answered } }: SidesProps) {
  const text = useText(requestsText);
  return (
    <div className="flex flex-col gap-4">
      <Side title={text.prompt} body={capture.request}>
        {asked && <AskedView asked={asked} />}
      </Side>
      <Side title={text.answer} body={capture.answer}>
        {answered && <AnsweredView answered={answered} />}
      </Side>
    </div>
  );
}

interface SideProps extends BodyProps {
  /** `null` if the body cannot be read as a conversation. */
  readonly children: ReactNode;
}

function Side({ title, body, children }: SideProps) {
  const text = useText(requestsText);
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <h4 className="font-medium text-sm">{title}</h4>
      {children ?? (
        <p className="text-soft text-sm">{body.text === null ? <Omitted body={body} /> : text.unreadable}</p>
      )}
      {body.is_cut && <p className="text-soft text-xs">{text.isCut}</p>}
    </section>
  );
}

function Omitted({ body: { omitted } }: Pick<BodyProps, 'body'>) {
  return useText(requestsText).omitted[omitted ?? 'not_read'];
}

interface BodyProps {
  readonly title: string;
  readonly body: Captured['request'];
}

function Body({ title, body }: BodyProps) {
  const text = useText(requestsText);
  const format = useFormat();
  const { text: content, content_type: type, bytes, is_cut: isCut } = body;
  const size = bytes === null ? '' : ` · ${format.bytes(bytes)}`;
  if (content === null) {
    return (
      <p className="text-sm">
        {title}:{' '}
        <span className="text-soft">
          <Omitted body={body} />
        </span>
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
