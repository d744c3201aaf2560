import { useState } from 'react';
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
import { STEPS, type StepId, useProgress } from './progress.ts';
import { ProviderStep } from './provider-step.tsx';
import { RequestStep } from './request-step.tsx';
import { Step } from './step.tsx';

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

function Steps({ progress }: { readonly progress: ReturnType<typeof useProgress> }) {
  const text = useText(firstStepsText);
  const { done, models } = progress;
  const { values, set } = useSearchState(['step']);
  const [hasMoved, setMoved] = useState(false);
  // Without a step in the address, opens the first one that was incomplete when the page was loaded. It stays open when completed.
  const [first] = useState<StepId>(() => STEPS.find((step) => !done[step]) ?? 'clients');
  const open = STEPS.find((step) => step === values.step) ?? first;
  /** The key that was created here; it is stored nowhere else. */
  const [secret, setSecret] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string>();
  const model = chosen !== undefined && models.includes(chosen) ? chosen : smallModel(models);
  const go = (step: StepId) => {
    setMoved(true);
    set({ step });
  };
  const contents = {
    provider: <ProviderStep progress={progress} onSandbox={() => go('key')} />,
    key: <KeyStep progress={progress} secret={secret} onMade={setSecret} />,
    request: <RequestStep progress={progress} model={model} onModel={setChosen} />,
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
        isOpen={step === open}
        isFocused={hasMoved}
        onOpen={() => go(step)}
        {...(next !== undefined && { onNext: () => go(next) })}
      >
        {contents[step]}
      </Step>
    );
  });
}
