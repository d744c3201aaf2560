import { Eye } from 'lucide-react';
import { useState } from 'react';
import type { ShownTask } from '../../api/schema.ts';
import { useApi } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { ErrorBox, Loading } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { tasksText } from '../../text/tasks.ts';
import { useText } from '../../text/text.tsx';
import { promptIn } from './prompt.ts';

/**
 * The prompt of a task. The gateway keeps prompts only in captured requests, so the same people may read it: owners, and operators, whose
 * reads are recorded in the audit log.
 */
export function TaskPrompt({ task }: { readonly task: Pick<ShownTask, 'request_id' | 'account'> }) {
  const text = useText(tasksText);
  const { mayOwn, isOperator } = useScope();
  const [isWanted, setWanted] = useState(!isOperator);
  return (
    <section>
      <h3 className="mb-1 font-semibold">{text.prompt}</h3>
      {!mayOwn && <p className="text-soft text-sm">{text.promptForOwners}</p>}
      {mayOwn && isWanted && <Captured task={task} />}
      {mayOwn && !isWanted && (
        <div className="flex flex-col items-start gap-2">
          <p className="text-soft text-sm">{text.promptAudited}</p>
          <Button size="small" icon={Eye} onClick={() => setWanted(true)}>
            {text.showPrompt}
          </Button>
        </div>
      )}
    </section>
  );
}

function Captured({ task: { request_id: id, account } }: Parameters<typeof TaskPrompt>[0]) {
  const text = useText(tasksText);
  const { data, error } = useApi('getCapture', { params: { id }, query: { account_id: account } }, { isStill: true });
  if (error?.status === 404) return <p className="text-soft text-sm">{text.promptNotKept}</p>;
  if (error) return <ErrorBox error={error} />;
  if (data === undefined) return <Loading />;
  const found = data.request.text === null ? null : promptIn(data.request.text);
  if (found === null) return <p className="text-soft text-sm">{text.promptUnreadable}</p>;
  return (
    <p className="text-sm break-words whitespace-pre-wrap">
      {found.text}
      {found.isCut && <span className="text-soft">… {text.promptCut}</span>}
    </p>
  );
}
