import { Flag } from 'lucide-react';
import { useState } from 'react';
import { Controller } from 'react-hook-form';
import type { CacheReport } from '../../../api/schema.ts';
import { useChange } from '../../../api/use-api.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Field, TextArea } from '../../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../../kit/form.tsx';
import { Select } from '../../../kit/select.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { cacheText } from '../../../text/cache.ts';
import { useText } from '../../../text/text.tsx';

const TYPES = ['wrong_answer', 'outdated', 'incomplete', 'unsafe', 'other'] as const;
const TOUCHES = ['listCacheReports', 'listCacheEntries', 'getCacheEntry'] as const;
const LONGEST = 4_000;

interface ReportCachedProps {
  /** The id of the cache entry. */
  readonly entry: string;
  /** The account in whose name the entry is reported. */
  readonly account: string;
  /** Called when the entry is no longer served. */
  readonly onGone?: () => void;
}

/** A button that reports a wrong cached response; nothing for viewers. */
export function ReportCached(props: ReportCachedProps) {
  const text = useText(cacheText);
  const { mayWrite } = useScope();
  const [isOpen, setOpen] = useState(false);
  if (!mayWrite) return null;
  return (
    <>
      <Button size="small" icon={Flag} onClick={() => setOpen(true)}>
        {text.reportEntry}
      </Button>
      <Dialog title={text.reportTitle} isOpen={isOpen} onClose={() => setOpen(false)} isSticky>
        <Reporting {...props} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

interface ReportValues {
  type: CacheReport['type'];
  description: string;
}

function Reporting({ entry, account, onGone, onClose }: ReportCachedProps & { readonly onClose: () => void }) {
  const text = useText(cacheText);
  const toast = useToast();
  const report = useChange('reportCacheEntry', { touches: TOUCHES });
  const form = useApiForm<ReportValues>({
    defaultValues: { type: 'wrong_answer', description: '' },
    send: async ({ type, description }) => {
      const { status, invalidated } = await report.mutateAsync({
        params: { id: entry },
        query: { account_id: account },
        body: { type, ...(description.trim() !== '' && { description: description.trim() }) },
      });
      onClose();
      toast.done(invalidated ? text.reportedAndDisabled : text.outcomes[status]);
      if (invalidated) onGone?.();
    },
  });
  const { register, control, errorOf } = form;
  const types = TYPES.map((value) => ({ value, label: text.types[value] }));
  return (
    <Form form={form}>
      <p className="text-soft text-sm">{text.reportText}</p>
      <Field label={text.report} error={errorOf('type')}>
        <Controller name="type" control={control} render={({ field }) => <Select options={types} {...field} />} />
      </Field>
      <Field label={text.description} help={text.descriptionHelp} error={errorOf('description')}>
        <TextArea rows={3} maxLength={LONGEST} {...register('description')} />
      </Field>
      <FormError error={form.formError} />
      <FormActions submitLabel={text.sendReport} isBusy={form.isBusy} onCancel={onClose} />
    </Form>
  );
}
