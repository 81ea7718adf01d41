; The setup for one person: no administrator, an entry in Apps, PATH only by a tick. See installer/windows.py.
Unicode true
!include "MUI2.nsh"
!include "FileFunc.nsh"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Banksman"
Name "Banksman"
OutFile "${TARGET}"
InstallDir "$LOCALAPPDATA\Programs\Banksman"
RequestExecutionLevel user
SetCompressor /SOLID lzma
BrandingText "Banksman ${VERSION}"
!ifdef SIGN
  !uninstfinalize '${SIGN} "%1"' = 0
  !finalize '${SIGN} "%1"' = 0
!endif
!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

; A running Banksman holds its own program file: it is asked to close, and nothing is replaced under it.
!macro AskToClose UN
Function ${UN}AskToClose
  again:
  IfFileExists "$INSTDIR\banksman.exe" 0 free
  ClearErrors
  FileOpen $0 "$INSTDIR\banksman.exe" a
  IfErrors 0 opened
  IfSilent 0 ask
  SetErrorLevel 3
  Abort
  ask:
  MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "Banksman is running. Close its windows, then choose Retry." IDRETRY again
  Abort
  opened:
  FileClose $0
  free:
FunctionEnd
!macroend
!insertmacro AskToClose ""
!insertmacro AskToClose "un."

Section "Banksman" MAIN
  SectionIn RO
  Call AskToClose
  RMDir /r "$INSTDIR\_internal"
  SetOutPath "$INSTDIR"
  File /r "${STAGE}\*"
  File "/oname=banksman.ico" "${ICON}"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Banksman.lnk" "$INSTDIR\banksman.exe" "" "$INSTDIR\banksman.ico"
  WriteRegStr HKCU "Software\Classes\banksman" "" "URL:Banksman"
  WriteRegStr HKCU "Software\Classes\banksman" "URL Protocol" ""
  WriteRegStr HKCU "Software\Classes\banksman\shell\open\command" "" '"$INSTDIR\banksman.exe" "%1"'
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Banksman"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "Banksman"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\banksman.ico"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  IntFmt $0 "0x%08X" $0
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" "$0"
SectionEnd

Section /o "Add banksman to the PATH" PATH
  nsExec::Exec 'powershell -NoProfile -Command "$$p=[Environment]::GetEnvironmentVariable(\"Path\",\"User\"); if (($$p -split \";\") -notcontains \"$INSTDIR\") {[Environment]::SetEnvironmentVariable(\"Path\",(($$p,\"$INSTDIR\" | ? {$$_}) -join \";\"),\"User\")}"'
  Pop $0
SectionEnd

Section "Uninstall"
  Call un.AskToClose
  RMDir /r "$INSTDIR\_internal"
  Delete "$INSTDIR\banksman.exe"
  Delete "$INSTDIR\banksman.ico"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Banksman.lnk"
  DeleteRegKey HKCU "Software\Classes\banksman"
  DeleteRegKey HKCU "${UNINSTALL}"
  nsExec::Exec 'powershell -NoProfile -Command "$$p=[Environment]::GetEnvironmentVariable(\"Path\",\"User\"); [Environment]::SetEnvironmentVariable(\"Path\",((($$p -split \";\") | ? {$$_ -and $$_ -ne \"$INSTDIR\"}) -join \";\"),\"User\")"'
  Pop $0
  MessageBox MB_OK|MB_ICONINFORMATION "Banksman is removed. Your chats and settings stay in $APPDATA and $LOCALAPPDATA, folder Banksman." /SD IDOK
SectionEnd
