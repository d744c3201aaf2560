import { useState } from 'react';
import { callTagged, type Tagged } from '../../api/client.ts';
import type { ShownModel } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { Sheet } from '../../kit/dialog.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useSearchState } from '../../shell/search.ts';
import { operatorModelsText } from '../../text/operator-models.ts';
import { useText } from '../../text/text.tsx';
import { useChangeOfShown } from '../shared/changed-meanwhile.ts';
import { ModelForm } from './model-form.tsx';
import { MODEL_READS } from './model-reads.ts';
import { changesOf, declarationOf, valuesOf } from './model-values.ts';

interface StateSheetProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Declares a model, which need not be in the catalog. */
export function StateSheet({ isOpen, onClose }: StateSheetProps) {
  const text = useText(operatorModelsText);
  const toast = useToast();
  const { set } = useSearchState(['id', 'new']);
  const declare = useChange('declareModel', { touches: MODEL_READS });
  return (
    <Sheet title={text.state} description={text.stateAbout} isOpen={isOpen} onClose={onClose} size="large" isSticky>
      {isOpen && (
        <ModelForm
          initial={valuesOf('', undefined)}
          isNew
          submitLabel={text.state}
          onCancel={onClose}
          send={async (values) => {
            const { id } = await declare.mutateAsync({ body: declarationOf(values) });
            set({ new: '', id });
            toast.done(text.stated(id));
          }}
        />
      )}
    </Sheet>
  );
}

interface EditModelProps {
  readonly tagged: Tagged<ShownModel>;
  readonly onDone: () => void;
}

export function EditModel({ tagged, onDone }: EditModelProps) {
  const text = useText(operatorModelsText);
  const toast = useToast();
  const [shown, setShown] = useState(tagged);
  const update = useChange('updateModel', { touches: MODEL_READS });
  const changeOfShown = useChangeOfShown();
  const { value: model, etag: ifMatch } = shown;
  const initial = valuesOf(model.id, model);
  const params = { id: model.id };
  return (
    <ModelForm
      // After another person's change the form is reset.
      key={ifMatch}
      initial={initial}
      model={model}
      submitLabel={text.save}
      onCancel={onDone}
      send={async (values) => {
        const body = changesOf(initial, values);
        if (Object.keys(body).length === 0) return onDone();
        if (await changeOfShown(update.mutateAsync({ params, body, ifMatch }), MODEL_READS)) {
          toast.done(text.stated(model.id));
          onDone();
        } else setShown(await callTagged('getManagedModel', { params }));
      }}
    />
  );
}
