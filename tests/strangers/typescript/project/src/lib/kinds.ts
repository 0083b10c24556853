export enum Kind {
  Info = 'INFO',
  Error = 'ERROR',
}
