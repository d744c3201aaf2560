import { useState } from 'react';
import { useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { Field } from '../../kit/field.tsx';
import { ErrorBox, Notice } from '../../kit/status.tsx';
import { TagsInput } from '../../kit/tags.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useScope } from '../../shell/scope.tsx';
import { firstStepsText } from '../../text/first-steps.ts';
import { useText } from '../../text/text.tsx';
import { ModelChecklist, usualModels } from '../shared/model-checklist.tsx';
import type { ProbedChannel, Tested } from './tested.ts';

/** The operations that a new channel affects. */
const TOUCHED = ['listChannels', 'listManagedModels', 'listProviders', 'getMe'] as const;

/** Saves a channel: a shared one for an operator, the account's own for its owner. */
function useSaveChannel(onSaved: () => void) {
  const text = useText(firstStepsText);
  const toast = useToast();
  const { isOperator, query } = useScope();
  const create = useChange('createChannel', {
    touches: TOUCHED,
    onDone: ({ name }) => {
      toast.done(text.saved(name));
      onSaved();
    },
  });
  const save = (channel: ProbedChannel, models: readonly string[]) =>
    create.mutate({ query: isOperator ? {} : query, body: { ...channel, models } });
  return { save, isBusy: create.isPending, error: create.error };
}

interface SaveChannelProps {
  readonly tested: Tested;
  readonly onSaved: () => void;
}

export function SaveChannel({ tested: { channel, probe }, onSaved }: SaveChannelProps) {
  const text = useText(firstStepsText);
  const { isOperator } = useScope();
  const [models, setModels] = useState(() => usualModels(probe.models, { isShared: isOperator }));
  const isUnpriced = isOperator && probe.models.some(({ id, priced }) => !priced && models.includes(id));
  const { save, isBusy, error } = useSaveChannel(onSaved);
  return (
    <div className="flex flex-col gap-3">
      {probe.models.length > 0 ? (
        <>
          <p className="text-sm">
            {probe.listed ? text.listed(probe.models.length) : text.fromCatalog(probe.models.length)}
          </p>
          <ModelChecklist label={text.serve} models={probe.models} value={models} onChange={setModels} />
        </>
      ) : (
        <Field label={text.writeModels} help={text.writeModelsHelp} isRequired>
          <TagsInput isCode value={models} onChange={setModels} />
        </Field>
      )}
      {isUnpriced && <Notice tone="warn">{text.unpriced}</Notice>}
      {error && <ErrorBox error={error} />}
      <div className="flex flex-wrap items-center justify-end gap-3">
        {models.length === 0 && <p className="text-soft text-sm">{text.needsModels}</p>}
        <Button variant="primary" isBusy={isBusy} disabled={models.length === 0} onClick={() => save(channel, models)}>
          {text.save(models.length)}
        </Button>
      </div>
    </div>
  );
}
