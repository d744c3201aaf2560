import { Search } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import type { UsageTags } from '../../api/schema.ts';
import { Button } from '../../kit/button.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Form, useApiForm } from '../../kit/form.tsx';
import { Notice } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { useText } from '../../text/text.tsx';
import { usageExplorerText } from '../../text/usage-explorer.ts';

interface EndUsersProps {
  readonly storage: UsageTags['end_users'];
}

/** The reason why end users have no names, and a search for the one behind a hash. */
export function EndUsers({ storage }: EndUsersProps) {
  const text = useText(usageExplorerText);
  const { isOperator } = useScope();
  if (storage === 'plain') return null;
  const how = isOperator ? text.endUsersSetting : text.endUsersAsk;
  if (storage === 'off') {
    return (
      <Notice tone="neutral" title={text.endUsersOff}>
        {how}
      </Notice>
    );
  }
  return (
    <Notice tone="neutral" title={text.endUsersHashed} action={<Find />}>
      {text.endUsersHashedText} {how}
    </Notice>
  );
}

function Find() {
  const text = useText(usageExplorerText);
  const { query } = useScope();
  const { set } = useSearchState(['by', 'within', 'tag']);
  const [isUnknown, setUnknown] = useState(false);
  const form = useApiForm<{ name: string }>({
    defaultValues: { name: '' },
    send: async ({ name }) => {
      const { tag } = await call('findEndUser', { params: { name }, query });
      setUnknown(tag === null);
      if (tag !== null) set({ by: 'model', within: '', tag }, false);
    },
  });
  return (
    <Form form={form}>
      <div className="flex items-end gap-2">
        <Field
          label={text.findEndUser}
          isLabelHidden
          error={isUnknown ? text.endUsersOff : form.errorOf('name')}
          className="w-56"
        >
          <TextInput {...form.register('name', { required: true })} placeholder={text.findEndUser} maxLength={1_000} />
        </Field>
        <Button type="submit" icon={Search} isBusy={form.isBusy}>
          {text.find}
        </Button>
      </div>
    </Form>
  );
}
