resume_at = resume
