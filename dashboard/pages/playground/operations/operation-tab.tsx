import { Play, Sparkles, Square } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Segmented } from '../../../kit/choice.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Panel } from '../../../kit/panel.tsx';
import { Badge, Empty, ErrorBox, Loading } from '../../../kit/status.tsx';
import { useSearchState } from '../../../shell/search.ts';
import { playgroundText } from '../../../text/playground.ts';
import { useText } from '../../../text/text.tsx';
import { CodePanel } from '../code/code-panel.tsx';
import { FailureBox } from '../failure-box.tsx';
import { ModelPicker } from '../model-picker.tsx';
import type { Model } from '../models.ts';
import { StoryLine } from '../story.tsx';
import type { Payer } from '../wire/call.ts';
import { type Operation, type Parameter, useOperations } from './contract.ts';
import { ParameterField } from './parameter-field.tsx';
import { isTask, ResultView } from './results.tsx';
import { type Run, useRuns } from './runs.ts';
import { type Filled, fieldsOf, filled, isMain, type Values } from './values.ts';

/** The operations of a tab: one of those that the model supports is chosen. */
export type OperationId =
  | `images.${'generations' | 'edits'}`
  | `audio.${'speech' | 'transcriptions' | 'translations'}`
  | `${'videos' | 'music' | '3d'}.generations`
  | 'embeddings'
  | 'rerank'
  | 'moderations';

interface OperationTabProps {
  readonly operations: readonly OperationId[];
  readonly models: readonly Model[];
  readonly payer: Payer;
}

export function OperationTab({ operations, models: all, payer }: OperationTabProps) {
  const text = useText(playgroundText);
  const address = useSearchState(['model', 'operation']);
  const models = useMemo(
    () => all.filter((model) => operations.some((id) => model.operations.includes(id))),
    [all, operations],
  );
  const model = models.find(({ id }) => id === address.values.model) ?? usualOf(models);
  const offered = operations.filter((id) => model?.operations.includes(id));
  const chosen = offered.find((id) => id === address.values.operation) ?? offered[0];
  const contract = useOperations(model?.id ?? '', payer);
  const runs = useRuns(payer);
  if (model === undefined || chosen === undefined) {
    return (
      <Empty icon={Sparkles} title={text.noModels}>
        {text.noModelsText}
      </Empty>
    );
  }
  const operation = contract.data?.find(({ id }) => id === chosen);
  return (
    <div className="grid min-w-0 items-start gap-4 lg:grid-cols-2">
      <Panel>
        <div className="flex flex-col gap-4">
          <ModelPicker models={models} value={model.id} onChange={(id) => address.set({ model: id })} />
          {offered.length > 1 && (
            <Segmented
              label={text.operation}
              value={chosen}
              onChange={(id) => address.set({ operation: id })}
              options={offered.map((value) => ({ value, label: text.operations[value] }))}
            />
          )}
          {contract.error && <ErrorBox error={contract.error} onRetry={() => void contract.refetch()} />}
          {contract.isPending && <Loading />}
          {operation && <Asking key={operation.id} {...{ operation, model: model.id, runs }} />}
        </div>
      </Panel>
      <Panel title={text.results}>
        {runs.runs.length === 0 ? (
          <Empty icon={Sparkles} title={text.noResults}>
            {text.noResultsText}
          </Empty>
        ) : (
          <ul className="flex flex-col divide-y divide-line">
            {runs.runs.map((run) => (
              <RunView key={run.id} run={run} payer={payer} onModel={(id) => address.set({ model: id })} />
            ))}
          </ul>
        )}
      </Panel>
    </div>
  );
}

/** Returns the default model: for music a song model rather than one for lyrics only. */
function usualOf(models: readonly Model[]): Model | undefined {
  return models.find(({ id }) => !/lyrics/i.test(id)) ?? models[0];
}

interface AskingProps {
  readonly operation: Operation;
  readonly model: string;
  readonly runs: ReturnType<typeof useRuns>;
}

/** The fields of one operation; their values stay when another model is chosen. */
function Asking({ operation, model, runs }: AskingProps) {
  const text = useText(playgroundText);
  const [values, setValues] = useState<Values>({});
  const [areProblemsShown, setAreProblemsShown] = useState(false);
  const request = filled(operation, model, values);
  const isWhole = Object.keys(request.problems).length === 0;
  const fields = fieldsOf(operation);
  const list = (parameters: readonly Parameter[]) => (
    <Fields
      {...{ parameters, values, problems: areProblemsShown ? request.problems : {} }}
      onChange={(name, value) => setValues({ ...values, [name]: value })}
    />
  );
  return (
    <form
      noValidate
      className="flex min-w-0 flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        setAreProblemsShown(!isWhole);
        if (isWhole && !runs.isBusy) void runs.start(operation.id, model, request.call);
      }}
    >
      {list(fields.filter(isMain))}
      {fields.some((one) => !isMain(one)) && (
        <Disclosure title={text.moreOptions}>{list(fields.filter((one) => !isMain(one)))}</Disclosure>
      )}
      <div className="flex justify-end gap-2">
        {runs.isBusy && (
          <Button icon={Square} onClick={runs.stop}>
            {text.stop}
          </Button>
        )}
        <Button type="submit" variant="primary" icon={Play} isBusy={runs.isBusy}>
          {text.run}
        </Button>
      </div>
      <CodePanel call={isWhole ? request.call : null} />
    </form>
  );
}

interface FieldsProps {
  readonly parameters: readonly Parameter[];
  readonly values: Values;
  readonly problems: Filled['problems'];
  readonly onChange: (name: string, value: Values[string]) => void;
}

function Fields({ parameters, values, problems, onChange }: FieldsProps) {
  return (
    <div className="grid min-w-0 gap-3 sm:grid-cols-2">
      {parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={values[parameter.name] ?? ''}
          problem={problems[parameter.name]}
          onChange={(value) => onChange(parameter.name, value)}
        />
      ))}
    </div>
  );
}

interface RunViewProps {
  readonly run: Run;
  readonly payer: Payer;
  readonly onModel: (id: string) => void;
}

function RunView({ run, payer, onModel }: RunViewProps) {
  const text = useText(playgroundText);
  const { state, failure, requestId, routing, losses, totalMs } = run;
  return (
    <li className="flex min-w-0 flex-col gap-3 py-4 first:pt-0">
      <p className="flex flex-wrap items-center gap-2 text-soft text-xs">
        <span className="truncate font-mono">{run.model}</span>
        {state === 'stopped' && <Badge tone="warn">{text.stopped}</Badge>}
      </p>
      {state === 'running' && <Loading label={text.waiting} />}
      {failure && <FailureBox failure={failure} onModel={onModel} />}
      <ResultView run={run} payer={payer} />
      {state !== 'running' && requestId !== null && !isTask(run) && (
        <StoryLine {...{ requestId, routing, losses, totalMs }} />
      )}
    </li>
  );
}
