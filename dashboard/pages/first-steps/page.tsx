import { useEffect, useRef, useState } from 'react';
import { LinkButton } from '../../kit/button.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { ErrorBox, Loading, Meter, Notice } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { firstStepsText } from '../../text/first-steps.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { ClientsStep } from './clients-step.tsx';
import { smallModel } from './guess-provider.ts';
import { KeyStep } from './key-step.tsx';
import { type Progress, useProgress } from './progress.ts';
import { ProviderStep } from './provider-step.tsx';
import { RequestStep } from './request-step.tsx';
import { Step } from './step.tsx';
import { nextStep, STEPS, type StepId } from './steps.ts';

export function Page() {
  const text = useText(firstStepsText);
  const { pages } = useText(shellText);
  const { mayWrite, base } = useScope();
  const progress = useProgress();
  const { done } = progress;
  const { isLoading, error, retry } = progress;
  const count = STEPS.filter((step) => done[step]).length;
  return (
    <div className="mx-auto max-w-4xl">
      <PageHeader title={pages['first-steps']} description={text.about} />
      {!mayWrite ? (
        <Notice tone="neutral">{text.mayNot}</Notice>
      ) : error ? (
        <ErrorBox error={error} onRetry={retry} />
      ) : isLoading ? (
        <Loading />
      ) : (
        <div className="flex flex-col gap-3">
          <Meter
            value={count}
            max={STEPS.length}
            tone={count === STEPS.length ? 'good' : 'accent'}
            label={count === STEPS.length ? text.allDone : pages['first-steps']}
            text={text.progress(count, STEPS.length)}
          />
          <Steps progress={progress} />
          <div className="flex justify-end">
            <LinkButton to={`${base}/overview`}>{text.toOverview}</LinkButton>
          </div>
        </div>
      )}
    </div>
  );
}

function Steps({ progress }: { readonly progress: Progress }) {
  const text = useText(firstStepsText);
  const { done, models } = progress;
  const { open, finished, focused, go } = useSteps(done);
  /** The key that was created here; it is stored nowhere else. */
  const [secret, setSecret] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string>();
  const model = chosen !== undefined && models.includes(chosen) ? chosen : smallModel(models);
  const contents = {
    provider: <ProviderStep progress={progress} onSandbox={() => go('request')} />,
    request: <RequestStep progress={progress} model={model} onModel={setChosen} />,
    key: <KeyStep progress={progress} secret={secret} onMade={setSecret} />,
    clients: <ClientsStep progress={progress} secret={secret} model={model} />,
  };
  return STEPS.map((step, index) => {
    const next = STEPS[index + 1];
    return (
      <Step
        key={step}
        number={index + 1}
        title={text.steps[step]}
        isDone={done[step]}
        isOpen={step === open || finished.includes(step)}
        isFocused={step === focused}
        onOpen={() => go(step)}
        {...(next !== undefined && { onSkip: () => go(next) })}
      >
        {contents[step]}
      </Step>
    );
  });
}

/**
 * Returns the open steps. Without one in the address, the first one is open that was incomplete when the page was loaded. A step that gets
 * done stays open, since it shows a response or a secret, and the next one opens below it.
 */
function useSteps(done: Progress['done']) {
  const { values, set } = useSearchState(['step']);
  const [first] = useState<StepId>(() => STEPS.find((step) => !done[step]) ?? 'clients');
  const open = STEPS.find((step) => step === values.step) ?? first;
  const [finished, setFinished] = useState<readonly StepId[]>([]);
  const [focused, setFocused] = useState<StepId>();
  const isDone = done[open];
  const before = useRef({ open, isDone });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the open step leads on, when it gets done.
  useEffect(() => {
    const was = before.current;
    before.current = { open, isDone };
    if (was.open !== open || was.isDone || !isDone) return;
    setFinished((all) => [...all, open]);
    const next = nextStep(open, done);
    if (next !== undefined) set({ step: next });
    // The forms of these two are gone, and the focus with them; the response of a request is being read.
    setFocused(open === 'provider' ? next : open === 'key' ? open : undefined);
  }, [open, isDone]);
  const go = (step: StepId) => {
    setFocused(step);
    set({ step });
  };
  return { open, finished, focused, go };
}
