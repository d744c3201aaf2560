{{/* The container's variables. Takes (dict "root" $ "items" secret items). */}}
{{- define "switchyard.environment" -}}
- name: HOST
  value: 0.0.0.0
- name: PORT
  value: "8787"
- name: SWITCHYARD_DATA
  value: /data
- name: LOG_LEVEL
  value: {{ .root.Values.logLevel }}
{{- if .root.Values.workers }}
- name: SWITCHYARD_WORKERS
  value: {{ .root.Values.workers | quote }}
{{- end }}
{{- if and .root.Values.database.connections (ne .root.Values.database.type "sqlite") }}
- name: DATABASE_CONNECTIONS
  value: {{ .root.Values.database.connections | quote }}
{{- end }}
{{- with include "switchyard.secretVariables" . | trim }}
{{ . }}
{{- end }}
{{- with .root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "switchyard.placement" -}}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{/* Constraints without a selector get that of the gateway's Pods of one revision. */}}
{{- define "switchyard.topologySpread" -}}
{{- $selector := include "switchyard.selectorLabels" (dict "root" . "component" "gateway") | fromYaml -}}
{{- $constraints := list -}}
{{- range .Values.topologySpreadConstraints -}}
{{- $constraint := deepCopy . -}}
{{- if not .labelSelector -}}
{{- $_ := set $constraint "labelSelector" (dict "matchLabels" $selector) -}}
{{- if not .matchLabelKeys -}}
{{- $_ := set $constraint "matchLabelKeys" (list "pod-template-hash") -}}
{{- end -}}
{{- end -}}
{{- $constraints = append $constraints $constraint -}}
{{- end -}}
{{- if $constraints -}}
topologySpreadConstraints:
  {{- toYaml $constraints | nindent 2 }}
{{- end -}}
{{- end -}}

{{- define "switchyard.volumes" -}}
{{- $name := include "switchyard.fullname" .root -}}
{{- with .root.Values }}
- name: tmp
  emptyDir:
    sizeLimit: 1Gi
{{- if eq .database.type "sqlite" }}
- name: data
  {{- if .persistence.enabled }}
  persistentVolumeClaim:
    claimName: {{ .persistence.existingClaim | default $name }}
  {{- else }}
  emptyDir: {}
  {{- end }}
{{- else }}
- name: data
  emptyDir:
    sizeLimit: {{ .scratchSize }}
{{- end }}
{{- if .sharedMedia.enabled }}
- name: media
  persistentVolumeClaim:
    claimName: {{ .sharedMedia.existingClaim | default (printf "%s-media" $name) }}
{{- end }}
{{- if include "switchyard.hasConfiguration" $.root }}
- name: configuration
  configMap:
    name: {{ .existingConfigMap.name | default $name }}
    items:
      - key: {{ ternary .existingConfigMap.key "switchyard.yaml" (ne .existingConfigMap.name "") }}
        path: switchyard.yaml
{{- end }}
{{- if $.items }}
{{ include "switchyard.secretVolume" (dict "items" $.items) }}
{{- end }}
{{- with .extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "switchyard.volumeMounts" -}}
{{- with .root.Values }}
- name: tmp
  mountPath: /tmp
- name: data
  mountPath: /data
{{- if .sharedMedia.enabled }}
- name: media
  mountPath: /data/media
{{- end }}
{{- if include "switchyard.hasConfiguration" $.root }}
- name: configuration
  mountPath: /etc/switchyard
  readOnly: true
{{- end }}
{{- if $.items }}
- name: secrets
  mountPath: /run/secrets/switchyard
  readOnly: true
{{- end }}
{{- with .extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end -}}
