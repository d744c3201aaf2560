import { useQueryClient } from '@tanstack/react-query';
import { Send, Square } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError, ownError } from '../../api/client.ts';
import { Button, TextLink } from '../../kit/button.tsx';
import { Field, TextArea } from '../../kit/field.tsx';
import { Money, useFormat } from '../../kit/format.tsx';
import { Combobox } from '../../kit/select.tsx';
import { ErrorBox } from '../../kit/status.tsx';
import { useAccountId, useScope } from '../../shell/scope.tsx';
import { firstStepsText } from '../../text/first-steps.ts';
import { useText } from '../../text/text.tsx';
import { useStory } from '../shared/use-story.ts';
import { ask, type FirstAnswer } from './first-request.ts';
import type { Progress } from './progress.ts';

interface RequestStepProps {
  readonly progress: Progress;
  readonly model: string | undefined;
  readonly onModel: (model: string | undefined) => void;
}

export function RequestStep({ progress: { models, isReadingModels, done }, model, onModel }: RequestStepProps) {
  const text = useText(firstStepsText);
  const [prompt, setPrompt] = useState(text.promptValue);
  const { send, stop, answer, refused, isRunning } = useFirstRequest();
  if (model === undefined) return <p>{text.noModels}</p>;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isRunning && !isReadingModels) void send(model, prompt);
  };
  return (
    <>
      <p className="text-soft text-sm">{done.request && answer === null ? text.requestDone : text.requestAbout}</p>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label={text.model} className="max-w-md">
          <Combobox options={models.map((id) => ({ value: id, label: id }))} value={model} onChange={onModel} />
        </Field>
        <Field label={text.prompt}>
          <TextArea rows={2} value={prompt} onChange={(event) => setPrompt(event.currentTarget.value)} />
        </Field>
        <div className="flex justify-end">
          {isRunning ? (
            <Button icon={Square} onClick={stop}>
              {text.stop}
            </Button>
          ) : (
            <Button
              type="submit"
              variant="primary"
              icon={Send}
              isBusy={isReadingModels}
              disabled={prompt.trim() === ''}
            >
              {text.send}
            </Button>
          )}
        </div>
      </form>
      {answer && <AnswerBox answer={answer} isRunning={isRunning} />}
      {refused && <ErrorBox error={refused} />}
    </>
  );
}

/** Sends one request at a time. */
function useFirstRequest() {
  const accountId = useAccountId();
  const client = useQueryClient();
  const [answer, setAnswer] = useState<FirstAnswer | null>(null);
  const [refused, setRefused] = useState<ApiError | null>(null);
  const running = useRef<AbortController>(null);
  const [isRunning, setRunning] = useState(false);
  useEffect(() => () => running.current?.abort(), []);
  const send = async (model: string, prompt: string) => {
    const controller = new AbortController();
    running.current = controller;
    setRunning(true);
    setRefused(null);
    setAnswer(null);
    try {
      setAnswer(await ask({ accountId, model, prompt }, setAnswer, controller.signal));
      await client.invalidateQueries({ queryKey: ['listRequests'] });
    } catch (error) {
      if (!controller.signal.aborted) setRefused(error instanceof ApiError ? error : ownError('unreachable'));
    } finally {
      setRunning(false);
    }
  };
  return { send, stop: () => running.current?.abort(), answer, refused, isRunning };
}

function AnswerBox({ answer, isRunning }: { readonly answer: FirstAnswer; readonly isRunning: boolean }) {
  const text = useText(firstStepsText);
  return (
    <section
      aria-label={text.answer}
      className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-sunken p-3"
    >
      <p aria-live="polite" aria-busy={isRunning} className="break-words whitespace-pre-wrap">
        {answer.text === '' && !isRunning ? text.noText : answer.text}
      </p>
      {answer.totalMs !== null && <Facts answer={answer} />}
    </section>
  );
}

const TOKENS = { input: /input|cache/, output: /output|reasoning/ } as const;

/** Shows the cost from the request log, which has it a moment later. */
function Facts({ answer: { requestId, channel, firstMs, totalMs } }: { readonly answer: FirstAnswer }) {
  const text = useText(firstStepsText);
  const format = useFormat();
  const accountId = useAccountId();
  const { base } = useScope();
  const story = useStory(accountId, requestId);
  const tokens = (pattern: RegExp) =>
    (story.data?.usage?.quantities ?? [])
      .filter(({ unit }) => pattern.test(unit))
      .reduce((sum, { amount }) => sum + amount, 0);
  return (
    <>
      <dl className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
        {story.data && (
          <>
            <Fact name={text.facts.cost}>
              <Money usd={story.data.cost_usd} />
            </Fact>
            <Fact name={text.facts.input}>{format.number(tokens(TOKENS.input))}</Fact>
            <Fact name={text.facts.output}>{format.number(tokens(TOKENS.output))}</Fact>
          </>
        )}
        {firstMs !== null && <Fact name={text.facts.first}>{format.duration(firstMs)}</Fact>}
        {totalMs !== null && <Fact name={text.facts.total}>{format.duration(totalMs)}</Fact>}
        {channel !== null && <Fact name={text.facts.channel}>{channel}</Fact>}
      </dl>
      {requestId !== null && (
        <TextLink to={`${base}/requests`} search={{ id: requestId } as never} className="w-fit text-sm">
          {text.story}
        </TextLink>
      )}
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex gap-1.5">
      <dt className="text-soft">{name}</dt>
      <dd className="numbers break-all">{children}</dd>
    </div>
  );
}
