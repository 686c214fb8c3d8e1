;; What a user does in Emacs; tests/test_emacs.py reads what was seen.  -*- lexical-binding: t -*-
(require 'json)
(require 'cl-lib)
(require 'flymake)

(package-initialize)
(setq enable-local-variables nil
      make-backup-files nil
      eglot-sync-connect 60
      eglot-connect-timeout 120
      eglot-autoshutdown nil
      eglot-confirm-server-initiated-edits nil
      lsp-auto-guess-root t
      lsp-enable-file-watchers nil
      lsp-diagnostics-provider :flymake
      lsp-restart 'ignore
      lsp-log-io nil
      lsp-session-file (expand-file-name "lsp-session"))

(defvar seen nil)

(defun saw (key value)
  (push (cons key value) seen))

(defun wait-until (what condition)
  (with-timeout (120 (error "waited in vain until %s" what))
    (while (not (funcall condition))
      (accept-process-output nil 0.05))))

(defun found ()
  "The findings of the buffer, as flymake has them."
  (sort (mapcar (lambda (each)
                  (format "%d: %s" (line-number-at-pos (flymake-diagnostic-beg each))
                          (flymake-diagnostic-text each)))
                (flymake-diagnostics))
        #'string<))

(defun with-eglot ()
  (require 'eglot)
  (load (expand-file-name "eglot.el") nil t)
  (apply #'eglot (let ((eglot-command-history nil))
                   (eglot--guess-contact)))
  (wait-until "eglot runs" #'eglot-current-server)
  (wait-until "there are findings" #'flymake-diagnostics)
  (saw 'found (found))
  (goto-char (point-min))
  (search-forward "torch.log(")
  (let ((actions (eglot-code-actions (1- (point)) (1- (point)) "quickfix" nil)))
    (saw 'actions (mapcar (lambda (each) (plist-get each :title)) actions))
    (eglot--apply-workspace-edit (plist-get (aref (vconcat actions) 0) :edit) nil))
  (saw 'fixed (buffer-string))
  (save-buffer) ; which sends the change: without a person Emacs is never idle
  (wait-until "the repaired text is clean" (lambda () (null (flymake-diagnostics))))
  (let ((page (jsonrpc-request (eglot-current-server) :workspace/executeCommand
                               '(:command "mllint-nan.explain" :arguments ["sqrt-at-zero"]))))
    (saw 'explained (plist-get page :code)))
  (saw 'ended (progn (eglot-shutdown (eglot-current-server)) t)))

(defun with-lsp-mode ()
  (require 'lsp-mode)
  (load (expand-file-name "lsp-mode.el") nil t)
  (setq lsp-enabled-clients '(mllint-nan))
  (let ((root (expand-file-name default-directory)))
    (lsp-workspace-folders-add root))
  (lsp)
  (wait-until "lsp-mode has diagnostics"
              (lambda () (> (hash-table-count (lsp-diagnostics)) 0)))
  (maphash (lambda (_ each)
             (saw 'found (mapcar (lambda (one) (lsp:diagnostic-code? one)) each)))
           (lsp-diagnostics)))

(condition-case problem
    (progn
      (find-file "a.py")
      (funcall (intern (concat "with-" (getenv "CLIENT")))))
  (error (saw 'error (error-message-string problem))))
(write-region (json-encode seen) nil "seen.json")
(set-buffer-modified-p nil)
(let ((kill-emacs-hook nil))
  (kill-emacs 0))
